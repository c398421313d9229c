-- Which relays ask for the serving state, so that an experiment can say whether sites have seen a change. The version before ignores it.
create table serving_relays (
  workspace_id uuid not null references workspaces on delete cascade,
  -- As the relay calls itself, or the id of its key.
  relay text not null,
  asked_at timestamptz(3) not null,
  primary key (workspace_id, relay)
);
-- The few experiments that reach the site.
create index experiments_served on experiments (workspace_id) where status in ('running', 'shipped');
