-- How long workspaces keep their events.
create table retention (
  workspace_id uuid primary key references workspaces,
  -- Null: forever.
  days integer check (days >= 62),
  -- Older events than this day have been removed.
  done_until date,
  -- Removal under way: events before this day that were received by then, and counted in removed_events.
  removing_until date,
  removing_received timestamptz(3)
);

-- Events that were stored and are removed again, by an erasure or by retention: what the ledger counts as stored is in
-- the event store or here.
create table removed_events (
  log_id uuid not null,
  log_partition integer not null,
  events bigint not null,
  primary key (log_id, log_partition)
);
