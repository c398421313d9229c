-- Listing and searching experiments, and finding who holds a surface. The version before serves on: it reads and writes `experiments` as ever, and triggers
-- carry over what it writes; only its lists and searches are slower until it is replaced.

-- What experiments are filtered by, in one number: status (4 bits, in the order of the life cycle's table), priority (2), origin, kind, test type (1 each),
-- rejected stage (2), pull request (1). A filter is a set of these numbers.
create function experiment_facets(
  status text, priority_rank smallint, origin text, kind text, test_type text, rejected_stage text, has_pr boolean
) returns smallint language sql immutable as $$
  select (
    array_position(array['proposed', 'dismissed', 'approved', 'generating_pr', 'pr_failed', 'pr_open', 'ready', 'running', 'paused', 'ended',
      'settling', 'shipped', 'rejected', 'concluded'], status) - 1
    + (priority_rank << 4)
    + (case origin when 'api' then 64 else 0 end)
    + (case kind when 'feature' then 128 else 0 end)
    + (case test_type when 'message' then 256 else 0 end)
    + (case rejected_stage when 'pr' then 512 when 'outcome' then 1024 else 0 end)
    + (case when has_pr then 2048 else 0 end)
  )::smallint
$$;

-- A narrow row an experiment, workspaces apart. Indexes over it are small, and tell a page far back and its total without a look at the rows. A word that
-- is in all of a workspace's experiments makes all their texts be read: here they lie side by side, while in `experiments` each is on a page of its
-- own between those of other workspaces.
create table experiment_lines (
  workspace_id uuid not null,
  id uuid not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  started_at timestamptz(3),
  estimated_lift double precision,
  confidence double precision,
  users_exposed integer,
  facets smallint not null,
  priority_rank smallint not null,
  experiment_run_id uuid,
  name text collate "C" not null,
  search_text text collate "C" not null,
  primary key (workspace_id, id)
) partition by hash (workspace_id);

do $$ begin
  for part in 0..31 loop
    execute format('create table experiment_lines_%s partition of experiment_lines for values with (modulus 32, remainder %s)
      with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)', part, part);
  end loop;
end $$;
-- A filter lists many of them, each of which is looked for among these by the planner.
alter table experiment_lines alter column facets set statistics 20;

create function write_experiment_line() returns trigger language plpgsql as $$
begin
  insert into experiment_lines (workspace_id, id, created_at, updated_at, started_at, estimated_lift, confidence, users_exposed, facets,
    priority_rank, experiment_run_id, name, search_text)
  values (new.workspace_id, new.id, new.created_at, new.updated_at, new.started_at, new.estimated_lift, new.confidence, new.users_exposed,
    experiment_facets(new.status, new.priority_rank, new.origin, new.kind, new.test_type, new.rejected_stage, new.has_pr),
    new.priority_rank, new.experiment_run_id, new.name, new.search_text)
  on conflict (workspace_id, id) do update set
    created_at = excluded.created_at, updated_at = excluded.updated_at, started_at = excluded.started_at,
    estimated_lift = excluded.estimated_lift, confidence = excluded.confidence, users_exposed = excluded.users_exposed,
    facets = excluded.facets, priority_rank = excluded.priority_rank, experiment_run_id = excluded.experiment_run_id,
    name = excluded.name, search_text = excluded.search_text;
  return null;
end $$;
create function remove_experiment_line() returns trigger language plpgsql as $$
begin
  delete from experiment_lines where workspace_id = old.workspace_id and id = old.id;
  return null;
end $$;
create trigger experiments_write_line after insert or update on experiments
  for each row execute function write_experiment_line();
create trigger experiments_remove_line after delete on experiments
  for each row execute function remove_experiment_line();

-- One order a sort, ended by the id, so that it is total. Where the value can be missing, it comes last in both directions, which takes two orders.
create index experiment_lines_by_created on experiment_lines (workspace_id, created_at, id) include (facets);
create index experiment_lines_by_updated on experiment_lines (workspace_id, updated_at, id) include (facets, created_at);
create index experiment_lines_by_name on experiment_lines (workspace_id, name, id) include (facets, created_at);
create index experiment_lines_by_priority on experiment_lines (workspace_id, priority_rank, id) include (facets, created_at);
create index experiment_lines_by_started on experiment_lines (workspace_id, started_at, id) include (facets, created_at);
create index experiment_lines_by_started_desc on experiment_lines (workspace_id, started_at desc nulls last, id desc) include (facets, created_at);
create index experiment_lines_by_exposed on experiment_lines (workspace_id, users_exposed, id) include (facets, created_at);
create index experiment_lines_by_exposed_desc on experiment_lines (workspace_id, users_exposed desc nulls last, id desc) include (facets, created_at);
create index experiment_lines_by_lift on experiment_lines (workspace_id, estimated_lift, id) include (facets, created_at);
create index experiment_lines_by_lift_desc on experiment_lines (workspace_id, estimated_lift desc nulls last, id desc) include (facets, created_at);
create index experiment_lines_by_confidence on experiment_lines (workspace_id, confidence, id) include (facets, created_at);
create index experiment_lines_by_confidence_desc on experiment_lines (workspace_id, confidence desc nulls last, id desc) include (facets, created_at);
create index experiment_lines_by_run on experiment_lines (workspace_id, experiment_run_id) where experiment_run_id is not null;
-- The workspace in the same index: a word that is common elsewhere costs little here. New rows wait in a short list, which every search reads.
create index experiment_lines_search on experiment_lines using gin (workspace_id, search_text gin_trgm_ops)
  with (gin_pending_list_limit = 256);

-- Who in flight holds a surface is asked while it is locked, so it has to be quick.
create index experiments_surfaces on experiments using gin (workspace_id, surfaces jsonb_path_ops) with (fastupdate = off)
  where status in ('approved', 'generating_pr', 'pr_open', 'ready', 'running', 'paused') and surfaces <> '[]';

-- How far the copy of what was there before has come (009).
create table experiment_lines_copied (id uuid not null);
insert into experiment_lines_copied values ('00000000-0000-0000-0000-000000000000');
