-- Through which time each partition of a log has been received, and what waits in it: published by whoever reads it, at least every second. The version before
-- serves on: it publishes nothing, and a decision waits for readers that do.
create table log_receipts (
  log_id uuid not null references logs on delete cascade,
  log_partition integer not null,
  -- Everything received until then is stored.
  received_through timestamptz(3) not null,
  -- The receipt of the oldest event that is known of and not stored; null where all is.
  waiting_since timestamptz(3),
  -- By the clock of the database.
  published_at timestamptz(3) not null,
  primary key (log_id, log_partition)
);

-- Frozen figures are those of the learning: nothing is measured again.
alter table experiment_measurements add column frozen_at timestamptz(3);

-- Who is at the figures of an experiment in the background, and since when: of several processes one.
create table experiment_refreshes (
  experiment_id uuid primary key references experiments on delete cascade,
  claimed_at timestamptz(3) not null
);
create index experiments_refreshed on experiments (workspace_id, id) where status in ('running', 'settling');
