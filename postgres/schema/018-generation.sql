-- What a generation run was asked for and how far it is. The version before serves on: it makes no runs.
alter table generation_runs
  add column step text check (step in ('read', 'understand', 'propose', 'ground', 'filter', 'store')),
  add column progress real not null default 0 check (progress between 0 and 1),
  -- What the proposals shall be about, in the words of whoever asked.
  add column focus text,
  -- Whether the proposals that are pending when it lands are retired.
  add column replaces boolean not null default false,
  -- Who asked.
  add column person_id uuid references people,
  -- The commit that was read.
  add column commit_id text;
update generation_runs set progress = 1 where status = 'succeeded';

-- What generators know of a proposal beside what people see, so that an idea is found again in what was dismissed, runs or has been decided:
-- { pattern, topics, alternatives, eventToSend, score, reasons }
create table proposal_ideas (
  experiment_id uuid primary key references experiments on delete cascade,
  idea jsonb not null
);
