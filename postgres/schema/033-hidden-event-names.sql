-- Event names that listings leave out. `name*` hides every name that begins so.
create table hidden_event_names (
  workspace_id uuid not null,
  pattern text not null,
  hidden_at timestamptz(3) not null,
  primary key (workspace_id, pattern)
);
