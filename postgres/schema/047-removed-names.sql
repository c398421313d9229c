-- The rows of each event name that an erasure or retention removes, by shard: [{name, shard, events}].
-- `events` is 0 once it is subtracted from the vocabulary. Null before the rows are counted, once the removal
-- has ended, and in removals that an earlier version began: those compare the vocabulary with the rows.
alter table erasures add column removed_names jsonb;
alter table retention add column removed_names jsonb;
-- Statistics would keep samples of names, and outlive them.
alter table erasures alter column removed_names set statistics 0;
alter table retention alter column removed_names set statistics 0;
