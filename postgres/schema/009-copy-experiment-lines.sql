-- @repeat
-- The experiments that were there before the triggers of 008, some thousand a transaction: who writes one of them waits for no more than these. What has
-- been written since has its line already.
with batch as (
  select * from experiments
  where id > (select id from experiment_lines_copied)
  order by id limit 2000
  -- One that is removed meanwhile is removed after its line was written.
  for key share
), copied as (
  insert into experiment_lines (workspace_id, id, created_at, updated_at, started_at, estimated_lift, confidence, users_exposed, facets,
    priority_rank, experiment_run_id, name, search_text)
  select workspace_id, id, created_at, updated_at, started_at, estimated_lift, confidence, users_exposed,
    experiment_facets(status, priority_rank, origin, kind, test_type, rejected_stage, has_pr), priority_rank, experiment_run_id, name, search_text
  from batch
  on conflict (workspace_id, id) do nothing
)
update experiment_lines_copied set id = (select id from batch order by id desc limit 1)
where exists (select from batch);
