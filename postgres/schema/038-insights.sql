-- Saved trends, retentions and funnel queries. Version 0.4 serves on and does not know them.
create table insights (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  name text not null,
  name_key text collate "C" not null generated always as (fold_name(name)) stored,
  description text not null,
  -- 'trends', 'retention' or 'funnel'
  kind text not null,
  -- The body of a query of that kind, with the range as { last } instead of times.
  query jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create unique index insights_name_key on insights (workspace_id, name_key);
