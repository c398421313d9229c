-- How many persons an experiment is to have. Versions before 0.6 serve on: they do not read it.
alter table experiments
  -- { minimumEffect, power, alpha, exposureEvent }; null if it was not planned
  add column sizing jsonb;
