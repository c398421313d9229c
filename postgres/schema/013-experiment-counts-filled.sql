-- All is counted: from now on nobody who writes asks whether it is. Those who are at it are waited for, so that none is between the two.
lock table experiments in share row exclusive mode;

create or replace function note_experiment_count(workspace uuid, facets smallint, difference integer) returns void language plpgsql as $$
begin
  insert into experiment_counts (workspace_id, difference, facets, folded) values (workspace, difference, facets, false);
  -- About every 64th time, by whoever writes: so there are few, whichever versions serve. A transaction that keeps to one view cannot replace what others have
  -- replaced since.
  if random() * 64 < 1 and current_setting('transaction_isolation') = 'read committed' then
    perform fold_experiment_counts(workspace);
  end if;
end $$;

drop function fill_experiment_counts;
drop function experiment_counts_lock;
drop table experiment_counts_due;
