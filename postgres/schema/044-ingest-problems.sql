-- What gateways refused of a key's requests, and warnings that its clients asked for: a row for each kind of
-- problem, at most twenty of each a key. Versions before 0.8 do not write it.
create table ingest_problems (
  key_id uuid not null references api_keys,
  -- Code, field and reason without numbers: repetitions are counted
  kind text not null,
  workspace_id uuid not null references workspaces,
  first_at timestamptz not null,
  last_at timestamptz not null,
  times bigint not null,
  -- Of the answer; 202 for a warning, 200 if other messages of the batch were accepted
  status smallint not null,
  -- Of the newest one
  code text not null,
  field text,
  message text not null,
  event_name text,
  value text,
  primary key (key_id, kind)
);
create index on ingest_problems (workspace_id, last_at desc);
