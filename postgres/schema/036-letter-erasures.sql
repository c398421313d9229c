-- Consumers count them before each block: insertIds of removed dead letters are duplicates from then on.
create index erasures_of_letters on erasures (workspace_id) where dead_letters > 0;
