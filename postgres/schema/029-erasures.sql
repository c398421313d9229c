-- Persons who asked to be forgotten, and what has been removed of them.
create table erasures (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  status text not null default 'pending' check (status in ('pending', 'running', 'done', 'failed')),
  -- The next step of the job (management/privacy/erasure-job.ts).
  step text not null default 'wait',
  -- Who is erased. All three are emptied before the erasure is done.
  user_id text,
  anonymous_ids text[] not null default '{}',
  person_keys bigint[] not null default '{}',
  -- Names of the events that are removed: their counts are taken again.
  event_names text[] not null default '{}',
  -- Everything received up to then is erased. What comes later is new.
  requested_at timestamptz(3) not null,
  finished_at timestamptz(3),
  events bigint,
  exposures bigint,
  links bigint,
  dead_letters bigint,
  error text
);
create index erasures_newest on erasures (workspace_id, requested_at desc, id desc);
create index erasures_open on erasures (workspace_id) where status in ('pending', 'running');

-- Persons erased this month. An event of theirs that is sent again is dropped by its insertId, but its link has none:
-- so their links wait in withheld_links until it is known whether the event was stored.
create table erased_persons (
  workspace_id uuid not null,
  person_key bigint not null,
  erased_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  primary key (workspace_id, person_key)
);
create table withheld_links (
  id bigint generated always as identity primary key,
  workspace_id uuid not null,
  anonymous_id text collate "C" not null,
  user_id text collate "C" not null,
  anonymous_key bigint not null,
  user_key bigint not null,
  linked_at timestamptz(3) not null
);

create function notify_persons_erased() returns trigger language plpgsql as $$
begin
  perform pg_notify('svc_erasures', '');
  return null;
end $$;
create trigger erased_persons_changed after insert or delete on erased_persons
  for each statement execute function notify_persons_erased();

-- The anonymous ids of a user.
create index identity_links_user on identity_links (workspace_id, user_key);

-- Statistics would keep samples of ids, and outlive the rows.
alter table identity_links alter column anonymous_id set statistics 0, alter column user_id set statistics 0;
alter table dead_letters alter column payload set statistics 0, alter column reason set statistics 0;
alter table erasures alter column user_id set statistics 0, alter column anonymous_ids set statistics 0;
alter table withheld_links alter column anonymous_id set statistics 0, alter column user_id set statistics 0;
