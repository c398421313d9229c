-- The repository of a workspace, and the pull requests of its experiments. The version before serves on: it connects none and writes none.

create table repositories (
  workspace_id uuid primary key references workspaces,
  -- Another one for each connection, and for each change of one.
  id uuid not null,
  kind text not null check (kind in ('local', 'github')),
  -- An absolute path, or OWNER/NAME.
  location text not null,
  base_url text,
  -- Null: the host's default.
  branch text,
  allow text[] not null default '{}',
  -- Null: found by what is there.
  helper text,
  exposures text not null,
  -- AES-256-GCM under a key made from SVC_SECRET_KEY.
  token bytea,
  webhook_secret bytea,
  connected_at timestamptz(3) not null,
  -- Of the watch: what the last poll gave, when the next one is due, and a number that says that what is looked for has changed since.
  poll_token text,
  poll_round bigint not null default 0,
  next_poll_at timestamptz not null default now(),
  failures integer not null default 0
);

-- Local pull requests are numbered by their repository, whichever workspaces have it, also after it was connected again.
create table local_pull_request_numbers (
  location text primary key,
  last integer not null
);

create table pull_requests (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  experiment_id uuid not null references experiments on delete cascade,
  purpose text not null check (purpose in ('pr', 'cleanup')),
  -- The repository as it is named where it is: another one knows nothing of this pull request.
  kind text not null,
  location text not null,
  number integer,
  url text,
  branch text not null,
  -- Where its branch starts: noted before anything is made, so that trying again makes the same.
  base_commit text,
  commit text,
  -- The last commit of its branch that is known.
  head text,
  merge_commit text,
  -- What the host finds it again by.
  operation text not null,
  state text not null check (state in ('writing', 'open', 'merged', 'closed', 'failed')),
  error text,
  title text,
  body text,
  -- For whom it is written.
  person_id uuid,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint pull_requests_purpose unique (experiment_id, purpose)
);
create index pull_requests_open on pull_requests (workspace_id) where state = 'open';

-- What the host or the clock does is nobody's.
alter table audit_entries alter column actor_person_id drop not null;

-- { commit, files: [{ path, blob }] }: what the changes were written against; a file to be created has no blob.
alter table experiments add column snapshot jsonb;
-- Who decided it, for whom its cleanup is written.
alter table experiments add column decision_person_id uuid;
