-- @repeat
-- The experiments from before the triggers of 041, some thousand per transaction. Those written since have
-- their row already.
with next as (
  select id from experiments
  where id > (select id from experiment_figures_copied)
  order by id limit 2000
), batch as (
  select * from experiments
  where id in (select id from next)
  -- One that is removed meanwhile is removed after its row was written.
  for key share
), copied as (
  insert into experiment_figures (workspace_id, id, created_at, facets, users_exposed, estimated_lift, confidence)
  select e.workspace_id, e.id, e.created_at, experiment_facets(e.status, e.priority_rank, e.origin, e.kind, e.test_type, e.rejected_stage, e.has_pr),
    m.users_exposed, m.estimated_lift, m.confidence
  from batch e left join experiment_measurements m on m.experiment_id = e.id
  on conflict (workspace_id, id) do nothing
)
-- Goes on behind removed experiments, too.
update experiment_figures_copied set id = (select id from next order by id desc limit 1)
where exists (select from next);
