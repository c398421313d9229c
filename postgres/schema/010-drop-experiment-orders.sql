-- What lists and searches of the version before 008 read, once the lines are complete.
drop table experiment_lines_copied;
drop index experiments_by_updated, experiments_by_name, experiments_by_priority, experiments_by_started, experiments_by_started_desc,
  experiments_by_exposed, experiments_by_exposed_desc, experiments_by_lift, experiments_by_lift_desc, experiments_by_confidence,
  experiments_by_confidence_desc, experiments_search;
