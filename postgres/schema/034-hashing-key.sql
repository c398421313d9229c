-- The key under which credentials and ids are hashed, from the first rotation of SVC_SECRET_KEY on: sealed under the key
-- of today. Before that it is SVC_SECRET_KEY itself. One row.
create table hashing_key (
  is_only boolean primary key default true check (is_only),
  sealed bytea not null
);
