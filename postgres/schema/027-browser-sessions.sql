-- Sessions of browsers end after 30 days without use: each use moves expires_at, at most to ends_at. Other
-- sessions have no ends_at, and expires_at is final. The version before ignores the new columns.
alter table sessions add column ends_at timestamptz(3);
alter table sessions add column last_used_at timestamptz(3);
-- The header User-Agent of the sign-in.
alter table sessions add column user_agent text;
create index sessions_person on sessions (workspace_id, person_id, created_at desc);
