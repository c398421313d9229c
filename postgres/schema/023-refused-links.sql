-- Links that events asked for and did not get, a UTC day: by a placeholder id, or against a link that exists.
create table refused_links (
  workspace_id uuid not null,
  day date not null,
  cause text not null,
  events bigint not null,
  primary key (workspace_id, day, cause)
);
