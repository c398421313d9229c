-- Work that waits in Postgres, in place of the tables of pg-boss (schema `jobs`). The version before serves
-- on: its open jobs move here, and a trigger moves what it sends later. A later migration drops that schema.

create table jobs (
  id bigint generated always as identity primary key,
  queue text collate "C" not null,
  -- What the job is about. At most one job of a queue and key waits for its first attempt.
  key text collate "C" not null,
  -- At most one job of a queue and serial key runs at a time. Null: no such limit.
  serial_key text collate "C",
  payload jsonb not null,
  workspace_id text collate "C" generated always as (payload->>'workspaceId') stored,
  -- Not claimed before this time.
  run_at timestamptz not null,
  -- How often the job was claimed.
  attempt integer not null default 0,
  -- Set while the job runs. Its worker extends the lease. Only the holder of the token can conclude the job.
  locked_until timestamptz,
  lock_token uuid,
  -- The first failure that counts against the time limit of retries.
  first_failed_at timestamptz,
  -- How many workers went silent while they ran the job.
  expired_leases integer not null default 0,
  last_error text,
  created_at timestamptz not null default now(),
  -- Set when the job has failed for good. A job that is done is deleted.
  failed_at timestamptz,
  constraint jobs_lock check ((locked_until is null) = (lock_token is null)),
  constraint jobs_failed check (failed_at is null or lock_token is null)
);
create unique index jobs_unclaimed on jobs (queue, key) where attempt = 0;
create unique index jobs_running on jobs (queue, serial_key) where lock_token is not null;
create index jobs_pending on jobs (queue, run_at) where lock_token is null and failed_at is null;
create index jobs_key on jobs (queue, key) where attempt > 0;

do $move$
begin
  if to_regclass('jobs.job') is null then
    return;
  end if;
  -- Waits for the transactions of the version before; those that come meanwhile wait here.
  lock table jobs.job in access exclusive mode;

  create function serial_key_of(queue text, payload jsonb) returns text language sql immutable as $serial$
    select case
      when queue in ('experiment-outcome', 'refinement') then payload->>'experimentId'
      when queue in ('pull-request', 'generation') then payload->>'workspaceId'
    end
  $serial$;

  with moved as (
    delete from jobs.job where state in ('created', 'retry', 'active', 'failed') returning *
  ), read as (
    select *, serial_key_of(name, data) as serial_key,
      -- Failures without a reason are from a version that retried them without end.
      state = 'failed' and output->>'reason' is not null as ended,
      -- One of a serial key keeps its lease. Its process notices within ten seconds that the job is gone.
      state = 'active' and row_number() over (
        partition by name, state, coalesce(serial_key_of(name, data), id::text) order by started_on desc) = 1 as runs
    from moved
  )
  insert into jobs (queue, key, serial_key, payload, run_at, attempt, locked_until, lock_token, first_failed_at, expired_leases,
    last_error, created_at, failed_at)
  select name, coalesce(singleton_key, id::text), serial_key, coalesce(data, '{}'),
    case when state = 'failed' then now() else start_after end,
    case when state = 'created' then 0 else retry_count + 1 end,
    case when runs then coalesce(started_on, now()) + interval '30 seconds' end,
    case when runs then gen_random_uuid() end,
    (output->>'since')::timestamptz, coalesce((output->>'lost')::int, 0),
    coalesce(output->>'reason', output->>'message'), created_on,
    case when ended then coalesce(completed_on, now()) end
  -- Of several that wait for their first attempt under one key the earliest stays.
  from read order by start_after
  on conflict (queue, key) where attempt = 0 do nothing;

  create function redirect_pgboss_job() returns trigger language plpgsql set search_path from current as $redirect$
  begin
    insert into jobs (queue, key, serial_key, payload, run_at)
    values (new.name, coalesce(new.singleton_key, new.id::text), serial_key_of(new.name, new.data), coalesce(new.data, '{}'),
      new.start_after)
    on conflict (queue, key) where attempt = 0 do update set run_at = least(jobs.run_at, excluded.run_at);
    -- The sender reads this as a job of the key that waits already.
    return null;
  end
  $redirect$;
  create trigger redirect_pgboss_job before insert on jobs.job for each row execute function redirect_pgboss_job();
end
$move$;
