-- Replays of dead letters: asked for by the administration, carried out by running consumers.

create table dead_letter_replays (
  id uuid primary key,
  state text not null default 'requested' check (state in ('requested', 'running', 'done')),
  -- Letters it takes; a letter that is divided into its rows counts as those rows from then on.
  letters integer not null default 0,
  replayed integer not null default 0,
  -- Became dead letters again, with the reason of this attempt.
  failed integer not null default 0,
  -- Of the events of replayed letters: stored now, and such as had been stored before under the same insertId.
  events_stored bigint not null default 0,
  events_duplicate bigint not null default 0,
  -- Why it does not get on at the moment; null while it does.
  problem text,
  requested_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  finished_at timestamptz(3)
);
create index dead_letter_replays_open on dead_letter_replays (requested_at) where state <> 'done';

create function notify_dead_letter_replay() returns trigger language plpgsql as $$
begin
  perform pg_notify('svc_dead_letter_replays', '');
  return null;
end $$;
create trigger dead_letter_replays_requested after insert on dead_letter_replays
  for each statement execute function notify_dead_letter_replay();

alter table dead_letters
  -- How often it could not be stored, and when last.
  add column attempts integer not null default 1,
  add column failed_at timestamptz(3) not null default now(),
  -- The replay that is to take it; null before and after.
  add column replay_id uuid references dead_letter_replays,
  -- The partition of the log at hand whose owner has to store it; null until that is known.
  add column replay_partition integer,
  -- The open intent: these rows of the record (by position) may or may not be in ClickHouse under the token.
  add column replay_token text,
  add column replay_rows smallint[],
  add column replay_duplicates integer;
update dead_letters set failed_at = created_at;
create index dead_letters_waiting on dead_letters (replay_partition, log_id, log_partition, log_offset, row_index)
  where replay_id is not null;
create index dead_letters_of_replay on dead_letters (replay_id) where replay_id is not null;
create index dead_letters_newest on dead_letters (failed_at desc, id desc);
