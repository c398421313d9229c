-- Server keys with the scope `exposures.send` send exposures only, which count against a cap of their own.
alter table workspaces add column daily_exposures bigint check (daily_exposures >= 0);
alter table daily_usage add column exposures bigint not null default 0;

-- As reserve_daily_events and count_daily_events, for the exposures of such keys.
create function reserve_daily_exposures(
  workspace uuid, on_day date, requests bigint[], out accepted boolean[], out used bigint, out cap bigint
) language plpgsql as $$
declare
  request bigint;
  fits boolean;
begin
  select daily_exposures into cap from workspaces where id = workspace;
  insert into daily_usage values (workspace, on_day, 0) on conflict do nothing;
  select exposures into used from daily_usage where workspace_id = workspace and day = on_day for update;
  accepted := '{}';
  foreach request in array requests loop
    fits := cap is null or used + request <= cap;
    if fits then used := used + request; end if;
    accepted := accepted || fits;
  end loop;
  update daily_usage set exposures = used where workspace_id = workspace and day = on_day;
end $$;

create function count_daily_exposures(workspaces uuid[], days date[], amounts bigint[]) returns void language plpgsql as $$
declare
  counted record;
begin
  for counted in
    select workspace, day_of, amount from unnest(workspaces, days, amounts) as u (workspace, day_of, amount) order by 1, 2
  loop
    insert into daily_usage (workspace_id, day, events, exposures)
    values (counted.workspace, counted.day_of, 0, greatest(0, counted.amount))
    on conflict (workspace_id, day) do update set exposures = greatest(0, daily_usage.exposures + counted.amount);
  end loop;
end $$;
