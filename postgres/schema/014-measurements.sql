-- What was measured of experiments, in a table of its own: refreshing it rewrites neither experiments nor the orders of their list. The version before
-- serves on: it shows no measurements, as ever.
create table experiment_measurements (
  experiment_id uuid primary key references experiments on delete cascade,
  workspace_id uuid not null,
  users_exposed integer,
  estimated_lift double precision,
  confidence double precision,
  -- As `GET /experiments/{id}` shows them; null where only the figures above are known.
  results jsonb,
  measured_at timestamptz(3) not null
);
-- Sorted by a figure, those that have it come first; the others follow by their ids, from `experiment_lines`.
create index experiment_measurements_by_exposed on experiment_measurements (workspace_id, users_exposed, experiment_id)
  where users_exposed is not null;
create index experiment_measurements_by_lift on experiment_measurements (workspace_id, estimated_lift, experiment_id)
  where estimated_lift is not null;
create index experiment_measurements_by_confidence on experiment_measurements (workspace_id, confidence, experiment_id)
  where confidence is not null;

-- Nothing has ever written these figures.
drop index experiment_lines_by_exposed, experiment_lines_by_exposed_desc, experiment_lines_by_lift, experiment_lines_by_lift_desc,
  experiment_lines_by_confidence, experiment_lines_by_confidence_desc;

-- A line is written when something that it holds has changed, and not when an experiment changes otherwise.
drop trigger experiments_write_line on experiments;
create trigger experiments_write_line after insert on experiments
  for each row execute function write_experiment_line();
create trigger experiments_write_line_changed after update on experiments for each row
  when ((old.workspace_id, old.id, old.created_at, old.updated_at, old.started_at, old.status, old.priority_rank, old.origin, old.kind,
      old.test_type, old.rejected_stage, old.has_pr, old.experiment_run_id, old.name, old.search_text)
    is distinct from (new.workspace_id, new.id, new.created_at, new.updated_at, new.started_at, new.status, new.priority_rank, new.origin,
      new.kind, new.test_type, new.rejected_stage, new.has_pr, new.experiment_run_id, new.name, new.search_text))
  execute function write_experiment_line();
