-- Insights on one page, in an order and with one range. Version 0.4 serves on and does not know them.
create table dashboards (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  name text not null,
  name_key text collate "C" not null generated always as (fold_name(name)) stored,
  description text not null,
  insights uuid[] not null,
  -- '24h', '7d', '30d' or '90d'
  last text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create unique index dashboards_name_key on dashboards (workspace_id, name_key);
