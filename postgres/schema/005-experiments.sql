-- Experiments, their revisions, the runs that generate them, and what was learned. New tables only: the version before serves on beside them.

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create table generation_runs (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  status text not null check (status in ('queued', 'running', 'succeeded', 'failed')),
  requested integer not null check (requested between 1 and 20),
  generated integer not null default 0,
  survived integer not null default 0,
  -- [{ reason, count }]
  dropped jsonb not null default '[]',
  -- { step, message }
  error jsonb,
  created_at timestamptz(3) not null,
  started_at timestamptz(3),
  finished_at timestamptz(3)
);
create index generation_runs_newest on generation_runs (workspace_id, created_at desc, id desc);
-- One batch at a time.
create unique index generation_runs_in_flight on generation_runs (workspace_id) where status in ('queued', 'running');

create table experiments (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  key text collate "C" not null,
  name text collate "C" not null,
  mechanism text not null,
  notes text not null,
  hypothesis text not null,
  -- Those five, folded for searching by what writes them.
  search_text text collate "C" not null,
  kind text not null check (kind in ('experiment', 'feature')),
  test_type text not null check (test_type in ('dom', 'message')),
  status text not null check (status in ('proposed', 'dismissed', 'approved', 'generating_pr', 'pr_failed', 'pr_open', 'ready',
    'running', 'paused', 'ended', 'settling', 'shipped', 'rejected', 'concluded')),
  priority text not null check (priority in ('low', 'medium', 'high')),
  priority_rank smallint not null generated always as (case priority when 'low' then 1 when 'medium' then 2 else 3 end) stored,
  origin text not null check (origin in ('generated', 'api')),
  experiment_run_id uuid references generation_runs,
  -- [{ key, displayName, trafficSplit }], the control first.
  variants jsonb not null,
  -- [{ eventName, name, direction, windowHours, filters }], the primary one first.
  conversion_targets jsonb not null,
  -- [{ path, anchor }]
  surfaces jsonb not null,
  -- [{ path, action, content | edits }]
  changes jsonb not null,
  -- { number, url, branch, state, error }
  pull_request jsonb,
  cleanup_pull_request jsonb,
  has_pr boolean not null generated always as (coalesce(pull_request ->> 'number', '') <> '') stored,
  -- { reasons, note, dismissedAt, personId }
  dismissal jsonb,
  rejected_stage text check (rejected_stage in ('pr', 'outcome')),
  decision_outcome text check (decision_outcome in ('ship', 'reject')),
  decision_variant text,
  decision_reason text,
  decided_at timestamptz(3),
  settles_at timestamptz(3),
  users_exposed integer,
  estimated_lift double precision,
  confidence double precision,
  measured_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  started_at timestamptz(3),
  ended_at timestamptz(3),
  constraint experiments_key unique (workspace_id, key),
  check (status <> 'settling' or (decision_outcome is not null and settles_at is not null)),
  check ((status = 'rejected') = (rejected_stage is not null))
);

-- One order a sort, ended by the id, so that it is total. The filters stand in each: a page far back is found, and its total counted, without a look
-- at the rows. Where the value can be missing, it comes last in both directions, which takes two orders.
create index experiments_by_created on experiments (workspace_id, created_at, id)
  include (status, priority_rank, origin, kind, test_type, rejected_stage, has_pr);
create index experiments_by_updated on experiments (workspace_id, updated_at, id)
  include (status, priority_rank, origin, kind, test_type, rejected_stage, has_pr, created_at);
create index experiments_by_name on experiments (workspace_id, name, id)
  include (status, priority_rank, origin, kind, test_type, rejected_stage, has_pr, created_at);
create index experiments_by_priority on experiments (workspace_id, priority_rank, id)
  include (status, origin, kind, test_type, rejected_stage, has_pr, created_at);
create index experiments_by_started on experiments (workspace_id, started_at, id)
  include (status, priority_rank, origin, kind, test_type, rejected_stage, has_pr, created_at);
create index experiments_by_started_desc on experiments (workspace_id, started_at desc nulls last, id desc)
  include (status, priority_rank, origin, kind, test_type, rejected_stage, has_pr, created_at);
create index experiments_by_exposed on experiments (workspace_id, users_exposed, id)
  include (status, priority_rank, origin, kind, test_type, rejected_stage, has_pr, created_at);
create index experiments_by_exposed_desc on experiments (workspace_id, users_exposed desc nulls last, id desc)
  include (status, priority_rank, origin, kind, test_type, rejected_stage, has_pr, created_at);
create index experiments_by_lift on experiments (workspace_id, estimated_lift, id)
  include (status, priority_rank, origin, kind, test_type, rejected_stage, has_pr, created_at);
create index experiments_by_lift_desc on experiments (workspace_id, estimated_lift desc nulls last, id desc)
  include (status, priority_rank, origin, kind, test_type, rejected_stage, has_pr, created_at);
create index experiments_by_confidence on experiments (workspace_id, confidence, id)
  include (status, priority_rank, origin, kind, test_type, rejected_stage, has_pr, created_at);
create index experiments_by_confidence_desc on experiments (workspace_id, confidence desc nulls last, id desc)
  include (status, priority_rank, origin, kind, test_type, rejected_stage, has_pr, created_at);
create index experiments_by_run on experiments (workspace_id, experiment_run_id, id) where experiment_run_id is not null;
-- The workspace in the same index: a word that is common elsewhere costs nothing here. New rows wait in a short list, which every search reads.
create index experiments_search on experiments using gin (workspace_id, search_text gin_trgm_ops)
  with (gin_pending_list_limit = 256);
-- What the clock settles.
create index experiments_settling on experiments (settles_at) where status = 'settling';

-- Revisions of proposals; the latest one of each is shown.
create table refinements (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  experiment_id uuid not null references experiments,
  status text not null check (status in ('queued', 'running', 'done', 'failed')),
  instructions text not null,
  error text,
  created_at timestamptz(3) not null,
  finished_at timestamptz(3)
);
create index refinements_newest on refinements (experiment_id, created_at desc, id desc);
create unique index refinements_in_flight on refinements (experiment_id) where status in ('queued', 'running');

create table learnings (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  experiment_id uuid not null references experiments,
  experiment_key text collate "C" not null,
  title text not null,
  decision text not null check (decision in ('ship', 'reject', 'conclude')),
  variant text,
  -- Null in rows from before there was a review: read as approved.
  review_state text check (review_state in ('draft', 'approved')),
  interpretation text not null,
  evidence jsonb not null,
  -- SHA-256 in hex of the evidence as canonical JSON (RFC 8785).
  evidence_hash text not null,
  -- Key, title and interpretation, folded for searching by what writes them.
  search_text text collate "C" not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- However often its end is carried out, an experiment is written up once.
  constraint learnings_experiment unique (experiment_id)
);
create index learnings_newest on learnings (workspace_id, created_at desc, id desc);
create index learnings_search on learnings using gin (workspace_id, search_text gin_trgm_ops)
  with (gin_pending_list_limit = 256);

-- What was measured and decided stays as it was, whoever asks.
create function keep_evidence() returns trigger language plpgsql as $$
begin
  if (new.id, new.workspace_id, new.experiment_id, new.experiment_key, new.decision, new.variant, new.evidence, new.evidence_hash,
      new.created_at)
    is distinct from (old.id, old.workspace_id, old.experiment_id, old.experiment_key, old.decision, old.variant, old.evidence,
      old.evidence_hash, old.created_at)
  then
    raise exception 'the evidence of a learning is frozen' using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
create trigger learnings_keep_evidence before update on learnings for each row execute function keep_evidence();
