-- Outbound webhooks. A trigger on the audit trail adds the deliveries in the transaction of the entry, so that each entry reaches each hook
-- once, whatever the order of commits, and whichever version of svc writes it. The version before serves on.

create table hooks (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  url text not null,
  -- Audit actions and the kinds announced below; `*` is all.
  kinds text[] not null,
  format text not null check (format in ('svc', 'slack')),
  -- Sealed with the key of the service.
  secret bytea not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index hooks_newest on hooks (workspace_id, created_at desc, id desc);

-- What a hook is told. No foreign key: writing an audit entry must not wait for a change of a hook. Deliveries of deleted hooks are removed
-- with the old ones.
create table hook_deliveries (
  hook_id uuid not null,
  -- Of the event: the audit entry's for an audit action.
  id uuid not null,
  kind text not null,
  at timestamptz(3) not null,
  data jsonb not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  created_at timestamptz(3) not null default now(),
  -- Null unless pending.
  next_attempt_at timestamptz(3) default now(),
  -- A failed attempt is not repeated after this.
  expires_at timestamptz(3) not null default now() + interval '1 day',
  last_attempt_at timestamptz(3),
  -- Of the last attempt. Null if there was no answer.
  response_status integer,
  error text,
  primary key (hook_id, id)
);
create index hook_deliveries_newest on hook_deliveries (hook_id, created_at desc, id desc);

-- Adds a delivery, and the job that makes it, for each hook that wants the kind.
-- quiet: hooks that were told the same kind (of the same experiment) within this time are left out.
create function announce_event(workspace uuid, event_id uuid, event_kind text, event_at timestamptz, event_data jsonb,
  quiet interval default null)
returns void language plpgsql set search_path from current as $$
begin
  with added as (
    insert into hook_deliveries (hook_id, id, kind, at, data)
    select h.id, event_id, event_kind, event_at, event_data from hooks h
    where h.workspace_id = workspace and h.kinds && array[event_kind, '*']
      and (quiet is null or not exists (
        select from hook_deliveries d
        where d.hook_id = h.id and d.kind = event_kind and d.created_at > now() - quiet
          and d.data->>'experimentId' is not distinct from event_data->>'experimentId'))
    on conflict do nothing
    returning hook_id
  )
  insert into jobs (queue, key, serial_key, payload, run_at)
  select 'hook-delivery', hook_id || ' ' || event_id, hook_id,
    jsonb_build_object('workspaceId', workspace, 'hookId', hook_id, 'deliveryId', event_id), now()
  from added;
  if found then
    perform pg_notify('svc_jobs', 'hook-delivery');
  end if;
end $$;

-- A UUIDv7 of now.
create function new_event_id() returns uuid language sql volatile as $$
  select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
$$;

create function announce_proposals() returns trigger language plpgsql set search_path from current as $$
begin
  perform announce_event(new.workspace_id, new_event_id(), 'proposals.ready', new.finished_at,
    jsonb_build_object('runId', new.id, 'proposals', new.survived));
  return null;
end $$;
create trigger generation_runs_announced after update of status on generation_runs for each row
  when (new.status = 'succeeded' and old.status <> 'succeeded' and new.survived > 0)
  execute function announce_proposals();

create function announce_results() returns trigger language plpgsql set search_path from current as $$
declare
  told jsonb;
  is_ready boolean := new.results->>'state' = 'ready' and old.results->>'state' is distinct from 'ready';
  is_broken boolean := new.results->'srm'->>'ok' = 'false' and old.results->'srm'->>'ok' is distinct from 'false';
begin
  if is_ready or is_broken then
    select jsonb_build_object('experimentId', id, 'experimentKey', key, 'experimentName', name, 'verdict', new.results->'verdict')
    into told from experiments where id = new.experiment_id;
    -- The split of a small experiment may go to and fro.
    if is_ready then
      perform announce_event(new.workspace_id, new_event_id(), 'results.ready', new.measured_at, told, interval '1 day');
    end if;
    if is_broken then
      perform announce_event(new.workspace_id, new_event_id(), 'results.broken_split', new.measured_at, told, interval '1 day');
    end if;
  end if;
  return null;
end $$;
create trigger experiment_measurements_announced after insert or update of results on experiment_measurements for each row
  when (new.results is not null) execute function announce_results();

create function announce_dead_letter() returns trigger language plpgsql set search_path from current as $$
begin
  perform announce_event(new.workspace_id, new_event_id(), 'dead_letters.appeared', now(),
    jsonb_build_object('deadLetterId', new.id, 'events', new.events), interval '1 hour');
  return null;
end $$;
create trigger dead_letters_announced after insert on dead_letters for each row
  when (new.workspace_id is not null) execute function announce_dead_letter();

create function announce_audit_entry() returns trigger language plpgsql set search_path from current as $$
begin
  perform announce_event(new.workspace_id, new.id, new.action, new.at, jsonb_build_object(
    'action', new.action, 'resourceType', new.resource_type, 'resourceId', new.resource_id,
    'actorApiKeyId', new.actor_api_key_id, 'actorApiKeyName', new.actor_api_key_name,
    'actorPersonId', new.actor_person_id, 'actorPersonName', new.actor_person_name,
    'requestId', new.request_id, 'summary', new.summary));
  return null;
end $$;
create trigger audit_entries_announced after insert on audit_entries
  for each row execute function announce_audit_entry();
