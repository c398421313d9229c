-- UTC days of receipt whose events are written to S3-compatible storage. Versions before 0.8 serve on: they do not
-- know it.
create table exported_days (
  workspace_id uuid not null references workspaces,
  day date not null,
  -- Counts what asked for the day: that it was over, an erasure or a replay of its events, an operator.
  requested integer not null default 1,
  -- When the oldest request came that is not fulfilled.
  requested_at timestamptz not null default now(),
  -- The last request that is fulfilled. Less than `requested`: the day waits to be written.
  written integer not null default 0,
  written_at timestamptz,
  -- Objects that may exist, also of a write that did not end.
  parts integer not null default 0,
  events bigint not null default 0,
  -- Why the last attempt failed; null if it did not.
  error text,
  primary key (workspace_id, day)
);

create index exported_days_due on exported_days (workspace_id) where requested > written;
