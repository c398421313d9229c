-- Workspaces, people, keys, audit, funnels, and the books of the event pipeline.

create table workspaces (
  id uuid primary key,
  name text not null,
  -- null: no daily cap. Events a UTC day.
  daily_events bigint check (daily_events >= 0),
  -- null: the service's default for each server key.
  requests_per_second integer check (requests_per_second > 0),
  events_per_second integer check (events_per_second > 0),
  created_at timestamptz(3) not null
);

create table people (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  name text not null,
  email text not null,
  is_owner boolean not null default false,
  permissions text[] not null default '{}',
  created_at timestamptz(3) not null
);
create unique index people_email on people (workspace_id, lower(email));

create table api_keys (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  person_id uuid not null references people,
  type text not null check (type in ('api', 'server', 'publishable')),
  name text not null,
  scopes text[] not null default '{}',
  -- HMAC-SHA-256 under SVC_SECRET_KEY; the key itself is never stored.
  key_hash bytea not null unique,
  last4 text not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  revoked_at timestamptz(3)
);
create index api_keys_workspace on api_keys (workspace_id, id);

create table sessions (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  person_id uuid not null references people,
  token_hash bytea not null unique,
  last4 text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3)
);

-- Gateways and the API drop a cached credential at once: the payload is the hash in hex.
create function notify_credential_changed() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'sessions' then
    perform pg_notify('svc_credentials', encode(new.token_hash, 'hex'));
  else
    perform pg_notify('svc_credentials', encode(new.key_hash, 'hex'));
  end if;
  return null;
end $$;
create trigger api_keys_changed after insert or update of revoked_at, scopes on api_keys
  for each row execute function notify_credential_changed();
create trigger sessions_changed after insert or update of revoked_at, expires_at on sessions
  for each row execute function notify_credential_changed();
-- Quotas and permissions are part of what is cached: everything of the workspace is dropped.
create function notify_workspace_changed() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'people' then
    perform pg_notify('svc_credentials', 'workspace:' || new.workspace_id);
  else
    perform pg_notify('svc_credentials', 'workspace:' || new.id);
  end if;
  return null;
end $$;
create trigger workspaces_changed after update on workspaces
  for each row execute function notify_workspace_changed();
create trigger people_changed after update of permissions, is_owner on people
  for each row execute function notify_workspace_changed();

create table audit_entries (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  at timestamptz(3) not null,
  action text not null,
  resource_type text not null,
  resource_id text not null,
  -- Null for a person's session. Names are kept as they were.
  actor_api_key_id uuid,
  actor_api_key_name text,
  actor_person_id uuid not null,
  actor_person_name text not null,
  request_id text not null,
  summary text not null
);
create index audit_entries_newest on audit_entries (workspace_id, at desc, id desc);

create table funnels (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  name text not null,
  description text not null default '',
  window_seconds integer not null,
  steps jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint funnels_name unique (workspace_id, name)
);

-- One row an event log this database has met. Rows in ClickHouse carry the log id; partition counts never change.
create table logs (
  id uuid primary key,
  partitions integer not null check (partitions > 0),
  identity_partitions integer not null check (identity_partitions > 0),
  created_at timestamptz(3) not null default now(),
  drained_at timestamptz(3)
);

-- The checkpoint of the consumers. `done_offset` is the first offset not yet known to be stored; an open intent says that the
-- records from done_offset up to open_to may or may not be in ClickHouse under open_token.
create table log_partitions (
  log_id uuid not null references logs,
  log_partition integer not null,
  epoch bigint not null default 0,
  done_offset bigint not null default 0,
  open_to bigint,
  open_token text,
  -- What the open block holds, added to the totals when it is marked done: the ledger counts each record once.
  open_stored bigint not null default 0,
  open_duplicates bigint not null default 0,
  open_dead bigint not null default 0,
  total_stored bigint not null default 0,
  total_duplicates bigint not null default 0,
  total_dead bigint not null default 0,
  primary key (log_id, log_partition)
);

create table dead_letters (
  id uuid primary key,
  log_id uuid not null,
  log_partition integer not null,
  log_offset bigint not null,
  -- Position in the record; -1 where the whole record is meant.
  row_index integer not null,
  workspace_id uuid,
  reason text not null,
  events integer not null,
  payload bytea not null,
  created_at timestamptz(3) not null default now(),
  replayed_at timestamptz(3),
  unique (log_id, log_partition, log_offset, row_index)
);

-- The first link of an anonymous id decides and is never changed.
create table identity_links (
  workspace_id uuid not null,
  anonymous_id text collate "C" not null,
  user_id text collate "C" not null,
  -- 64-bit person keys, as ClickHouse's UInt64 read as signed.
  anonymous_key bigint not null,
  user_key bigint not null,
  linked_at timestamptz(3) not null,
  primary key (workspace_id, anonymous_id)
);

-- Links on their way to ClickHouse: written with the link, deleted after an idempotent write there.
create table link_outbox (
  id bigint generated always as identity primary key,
  workspace_id uuid not null,
  anonymous_key bigint not null,
  user_key bigint not null
);
