-- Limits of ingestion, right over all gateways.

-- Token buckets of server keys: requests and events a second. What a crash takes away is a full bucket, which does no harm.
create unlogged table rate_buckets (
  key_id uuid not null,
  kind text not null check (kind in ('requests', 'events')),
  tokens double precision not null,
  refilled_at timestamptz not null,
  primary key (key_id, kind)
);

-- Takes tokens for a gateway: `wanted` where there are as many, else what there is if that is at least `needed`, else none. What needs more
-- than a full bucket takes a full one and leaves a debt, so that it passes at the rate and not never.
create function take_tokens(
  key uuid, bucket text, needed double precision, wanted double precision, rate double precision, capacity double precision,
  out granted double precision, out level double precision
) language plpgsql as $$
declare
  at timestamptz;
begin
  insert into rate_buckets values (key, bucket, capacity, clock_timestamp()) on conflict do nothing;
  select tokens, refilled_at into level, at from rate_buckets where key_id = key and kind = bucket for update;
  level := least(capacity, level + greatest(0, extract(epoch from clock_timestamp() - at)) * rate);
  granted := case
    when level >= greatest(needed, wanted) then greatest(needed, wanted)
    when level >= least(needed, capacity) then greatest(needed, floor(level))
    else 0 end;
  level := level - granted;
  update rate_buckets set tokens = level, refilled_at = clock_timestamp() where key_id = key and kind = bucket;
end $$;

-- Events of a workspace a UTC day, counted with a cap or without, so that a cap set at noon knows the morning.
create table daily_usage (
  workspace_id uuid not null references workspaces,
  day date not null,
  events bigint not null,
  primary key (workspace_id, day)
);

-- Reserves events under the daily cap: each request of the list in its order, whole or not at all. `cap` is null where there is none.
create function reserve_daily_events(
  workspace uuid, on_day date, requests bigint[], out accepted boolean[], out used bigint, out cap bigint
) language plpgsql as $$
declare
  request bigint;
  fits boolean;
begin
  select daily_events into cap from workspaces where id = workspace;
  insert into daily_usage values (workspace, on_day, 0) on conflict do nothing;
  select events into used from daily_usage where workspace_id = workspace and day = on_day for update;
  accepted := '{}';
  foreach request in array requests loop
    fits := cap is null or used + request <= cap;
    if fits then used := used + request; end if;
    accepted := accepted || fits;
  end loop;
  update daily_usage set events = used where workspace_id = workspace and day = on_day;
end $$;

-- Adds to the counts of several workspaces and days, or takes away, one after the other in one order: no two callers wait for each other.
create function count_daily_events(workspaces uuid[], days date[], amounts bigint[]) returns void language plpgsql as $$
declare
  counted record;
begin
  for counted in
    select workspace, day_of, amount from unnest(workspaces, days, amounts) as u (workspace, day_of, amount) order by 1, 2
  loop
    insert into daily_usage values (counted.workspace, counted.day_of, greatest(0, counted.amount))
    on conflict (workspace_id, day) do update set events = greatest(0, daily_usage.events + counted.amount);
  end loop;
end $$;
