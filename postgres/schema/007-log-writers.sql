-- Moving to another log without losing an event: who may append to a log, and when everything in it is stored.

alter table logs
  -- An operator has asked for its end: nobody is let append from here on. Null again where that was taken back.
  add column closing_at timestamptz(3),
  -- What is still missing, for whoever waits for the end.
  add column drain_problem text;

-- Gateways that may append, each a process. None is added or prolonged once the log is closing; after the last has expired or left, nothing that was
-- acknowledged can come any more.
create table log_writers (
  id uuid primary key,
  log_id uuid not null references logs,
  name text not null,
  -- Why the log takes nothing from it; null where it does.
  problem text,
  renewed_at timestamptz not null,
  expires_at timestamptz not null
);
create index log_writers_of_log on log_writers (log_id);

-- Closing, opening again, drained, and the last writer's leaving: whoever waits for one of them looks again.
create function notify_log_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('svc_logs', '');
  return null;
end $$;
create trigger logs_changed after update of closing_at, drained_at on logs
  for each statement execute function notify_log_changed();
-- For each row: a statement that deletes none must announce nothing, or gateways that renew would wake each other for ever.
create trigger log_writers_left after delete on log_writers
  for each row execute function notify_log_changed();
