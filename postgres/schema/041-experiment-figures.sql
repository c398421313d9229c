-- Lists sorted by a measured figure. The version before serves on: it reads and writes `experiments` and
-- `experiment_measurements` as ever, and triggers carry over what it writes.
lock table experiments, experiment_measurements in share row exclusive mode;

-- A row per experiment: its figures beside what lists filter by, so that an index answers a page far back.
-- Not in `experiment_lines`, because a measurement would then rewrite every order of the list and the words
-- of the search.
create table experiment_figures (
  workspace_id uuid not null,
  id uuid not null,
  created_at timestamptz(3) not null,
  facets smallint not null,
  users_exposed integer,
  estimated_lift double precision,
  confidence double precision,
  -- Also the order of the experiments that lack a figure, which come last.
  primary key (workspace_id, id) include (facets, created_at, users_exposed, estimated_lift, confidence)
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
create index experiment_figures_by_exposed on experiment_figures (workspace_id, users_exposed, id) include (facets, created_at)
  where users_exposed is not null;
create index experiment_figures_by_lift on experiment_figures (workspace_id, estimated_lift, id) include (facets, created_at)
  where estimated_lift is not null;
create index experiment_figures_by_confidence on experiment_figures (workspace_id, confidence, id) include (facets, created_at)
  where confidence is not null;
alter table experiment_figures alter column facets set statistics 20;

-- Each trigger inserts a whole row, or updates the columns of its own table. So whichever of two
-- transactions is second, also beside the copy (043), keeps what the first has written.
create function write_experiment_facets() returns trigger language plpgsql as $$
begin
  insert into experiment_figures (workspace_id, id, created_at, facets, users_exposed, estimated_lift, confidence)
  select new.workspace_id, new.id, new.created_at,
    experiment_facets(new.status, new.priority_rank, new.origin, new.kind, new.test_type, new.rejected_stage, new.has_pr),
    m.users_exposed, m.estimated_lift, m.confidence
  from (values (new.id)) as written (id) left join experiment_measurements m on m.experiment_id = written.id
  on conflict (workspace_id, id) do update set created_at = excluded.created_at, facets = excluded.facets;
  return null;
end $$;
create function write_experiment_figures() returns trigger language plpgsql as $$
begin
  insert into experiment_figures (workspace_id, id, created_at, facets, users_exposed, estimated_lift, confidence)
  select workspace_id, id, created_at, experiment_facets(status, priority_rank, origin, kind, test_type, rejected_stage, has_pr),
    new.users_exposed, new.estimated_lift, new.confidence
  from experiments where id = new.experiment_id
  on conflict (workspace_id, id) do update set users_exposed = excluded.users_exposed, estimated_lift = excluded.estimated_lift,
    confidence = excluded.confidence;
  return null;
end $$;
-- Measurements go only with their experiment.
create function remove_experiment_figures() returns trigger language plpgsql as $$
begin
  delete from experiment_figures where workspace_id = old.workspace_id and id = old.id;
  return null;
end $$;
create trigger experiments_write_facets after insert on experiments for each row execute function write_experiment_facets();
create trigger experiments_write_facets_changed after update on experiments for each row
  when ((old.created_at, old.status, old.priority_rank, old.origin, old.kind, old.test_type, old.rejected_stage, old.has_pr)
    is distinct from (new.created_at, new.status, new.priority_rank, new.origin, new.kind, new.test_type, new.rejected_stage, new.has_pr))
  execute function write_experiment_facets();
create trigger experiments_remove_figures after delete on experiments for each row execute function remove_experiment_figures();
create trigger experiment_measurements_write_figures after insert on experiment_measurements for each row execute function write_experiment_figures();
create trigger experiment_measurements_write_figures_changed after update on experiment_measurements for each row
  when ((old.users_exposed, old.estimated_lift, old.confidence) is distinct from (new.users_exposed, new.estimated_lift, new.confidence))
  execute function write_experiment_figures();

-- How far the copy of earlier experiments has come (043).
create table experiment_figures_copied (id uuid not null);
insert into experiment_figures_copied values ('00000000-0000-0000-0000-000000000000');
