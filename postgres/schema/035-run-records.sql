-- What became of each idea of a generation run, and what a model read and was asked. Version 0.4 serves on: it leaves them empty.
alter table generation_runs
  -- [{ name, outcome: 'stored' | 'dropped', reason, message }]
  add column ideas jsonb not null default '[]',
  -- [{ path, why }]
  add column files jsonb not null default '[]',
  -- [{ step, inputTokens, outputTokens, seconds, outcome }]
  add column questions jsonb not null default '[]';
