-- Keys that end by themselves, people who leave, and codes that let a person in once. Version 0.4 ignores them.

alter table api_keys
  add column expires_at timestamptz(3),
  -- The key that takes its place: a key is rotated once.
  add column replaced_by uuid;
drop trigger api_keys_changed on api_keys;
create trigger api_keys_changed after insert or update of revoked_at, scopes, expires_at on api_keys
  for each row execute function notify_credential_changed();

-- A removed person keeps the row, because keys, runs and the audit trail name it.
alter table people add column removed_at timestamptz(3);
drop trigger people_changed on people;
create trigger people_changed after update of permissions, is_owner, removed_at on people
  for each row execute function notify_workspace_changed();

-- At most one a person; using it deletes it.
create table invitations (
  person_id uuid primary key references people,
  -- HMAC-SHA-256 under SVC_SECRET_KEY.
  code_hash bytea not null unique,
  expires_at timestamptz(3) not null
);

-- Every workspace has an owner.
update people set is_owner = true where id in (
  select distinct on (p.workspace_id) p.id from people p
  where not exists (select from people o where o.workspace_id = p.workspace_id and o.is_owner)
  order by p.workspace_id, p.created_at, p.id
);
