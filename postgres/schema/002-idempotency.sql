-- Requests of the management API that carried an Idempotency-Key: a claim while the first is at work, then its answer.

create table idempotency_records (
  -- The API key or session that sent it.
  credential_id uuid not null,
  workspace_id uuid not null references workspaces,
  -- Method and path.
  route text collate "C" not null,
  key text collate "C" not null,
  -- SHA-256 of the body as canonical JSON.
  body_hash bytea not null,
  -- Which request holds the claim; another may take it over after claimed_until.
  owner uuid not null,
  claimed_until timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- Null while the first is at work.
  status smallint,
  headers jsonb,
  -- As it was sent, byte for byte.
  body text,
  primary key (credential_id, route, key)
);
create index idempotency_records_expiry on idempotency_records (expires_at);
