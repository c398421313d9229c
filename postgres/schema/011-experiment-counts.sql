-- Totals of lists without counting: how many experiments a workspace has of each facets, kept as differences that are only ever added. The version
-- before serves on: triggers count what it writes.

-- Who writes an experiment adds a row here and changes none, so nobody waits for anybody. A total is the sum of the rows that its reader sees, as exact as
-- counting the experiments would be.
create table experiment_counts (
  workspace_id uuid not null,
  -- Negative where experiments have gone, or have other facets now.
  difference integer not null,
  facets smallint not null,
  -- Whether it stands for rows that it has replaced.
  folded boolean not null
);
create index experiment_counts_of on experiment_counts (workspace_id);

-- Replaces differences of a workspace, a thousand at most, by their sums. A reader sees either those or these. Rows that another transaction is replacing
-- are left to it, without waiting: then a sum is in two rows until the next time.
create function fold_experiment_counts(workspace uuid) returns void language plpgsql as $$
begin
  with loose as materialized (
    select ctid as place, facets from experiment_counts
    where workspace_id = workspace and not folded limit 1000 for update skip locked
  ), sums as materialized (
    select ctid as place from experiment_counts
    where workspace_id = workspace and folded and facets in (select facets from loose) for update skip locked
  ), replaced as (
    delete from experiment_counts
    where ctid = any(array(select place from loose union all select place from sums))
    returning facets, difference
  )
  insert into experiment_counts (workspace_id, difference, facets, folded)
  select workspace, sum(difference), facets, true from replaced group by facets having sum(difference) <> 0;
end $$;

-- Workspaces whose experiments from before the trigger below are not counted yet (012). Until they are, nothing that is written there is either: it
-- is counted with the others. What decides is a lock of the workspace that writers share until they commit: whose lock comes after the count's
-- sees that the workspace is no longer here.
create table experiment_counts_due (workspace_id uuid primary key);

create function experiment_counts_lock(workspace uuid) returns bigint language sql immutable as $$
  select hashtextextended('experiment counts ' || workspace, 0)
$$;

create function note_experiment_count(workspace uuid, facets smallint, difference integer) returns void language plpgsql as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'experiments are being counted: try again later' using errcode = 'serialization_failure';
  end if;
  perform pg_advisory_xact_lock_shared(experiment_counts_lock(workspace));
  if exists (select from experiment_counts_due where workspace_id = workspace) then return; end if;
  insert into experiment_counts (workspace_id, difference, facets, folded) values (workspace, difference, facets, false);
  -- About every 64th time, by whoever writes: so there are few, whichever versions serve.
  if random() * 64 < 1 then perform fold_experiment_counts(workspace); end if;
end $$;

create function count_experiment() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    perform note_experiment_count(old.workspace_id,
      experiment_facets(old.status, old.priority_rank, old.origin, old.kind, old.test_type, old.rejected_stage, old.has_pr), -1);
  end if;
  if tg_op <> 'DELETE' then
    perform note_experiment_count(new.workspace_id,
      experiment_facets(new.status, new.priority_rank, new.origin, new.kind, new.test_type, new.rejected_stage, new.has_pr), 1);
  end if;
  return null;
end $$;

-- From here to the end of this transaction nobody writes experiments.
create trigger experiments_count after insert or delete on experiments for each row execute function count_experiment();
create trigger experiments_count_changed after update on experiments for each row
  when ((old.workspace_id, old.status, old.priority_rank, old.origin, old.kind, old.test_type, old.rejected_stage, old.has_pr)
    is distinct from (new.workspace_id, new.status, new.priority_rank, new.origin, new.kind, new.test_type, new.rejected_stage, new.has_pr))
  execute function count_experiment();

-- A workspace that has none now is counted from its first.
insert into experiment_counts_due
select w.id from workspaces w cross join lateral (select from experiments e where e.workspace_id = w.id limit 1) as there;

-- Counts the experiments of one workspace, whose writers wait for the end of the transaction; none where nothing is left.
create function fill_experiment_counts() returns setof uuid language plpgsql as $$
declare
  workspace uuid;
begin
  select workspace_id into workspace from experiment_counts_due order by workspace_id limit 1;
  if workspace is null then return; end if;
  perform pg_advisory_xact_lock(experiment_counts_lock(workspace));
  -- After the lock, so that it sees all that was written before.
  insert into experiment_counts (workspace_id, difference, facets, folded)
  select workspace, count(*), facets, true from experiment_lines where workspace_id = workspace group by facets;
  delete from experiment_counts_due where workspace_id = workspace;
  return next workspace;
end $$;
