-- What became of the events of each key, by the UTC hour of their receipt. Consumers add the counts of a block in the
-- statement that commits it.
create table key_ledger (
  workspace_id uuid not null,
  -- The nil id: stored events of any key of the workspace that were removed again. Rows of events name no key.
  key_id uuid not null,
  hour timestamptz(0) not null,
  -- Each owner of a partition has rows of its own, so owners do not wait for each other.
  log_partition integer not null,
  -- accepted = stored + duplicates + dead + erased
  accepted bigint not null default 0,
  stored bigint not null default 0,
  duplicates bigint not null default 0,
  dead bigint not null default 0,
  erased bigint not null default 0,
  primary key (workspace_id, key_id, hour, log_partition)
) with (fillfactor = 80);

alter table log_partitions
  -- The counts of the open block: { token, rows: [[workspace, key, hour in seconds, accepted, stored, duplicates, dead]] }.
  -- They count only with the token of the open intent: older versions write intents without them.
  add column open_ledger jsonb,
  -- done_offset as a version with this ledger left it. If it differs, an older one has committed blocks since.
  add column ledger_offset bigint,
  -- Every block since then is in the ledger; -infinity: every block. Null if none was written by such a version.
  add column ledger_since timestamptz(3);
