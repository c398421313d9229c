-- Dead letters that erasures and retention have removed: what the ledger counts as dead is in dead_letters or here.
alter table removed_events add column dead_letters bigint not null default 0;
