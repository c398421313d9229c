-- Descriptions of event names (property '') and of their properties, and which properties are hidden. Which event
-- names are hidden is in hidden_event_names.
create table vocabulary_entries (
  workspace_id uuid not null references workspaces,
  event_name text not null,
  property text not null,
  description text,
  hidden boolean not null,
  primary key (workspace_id, event_name, property)
);
