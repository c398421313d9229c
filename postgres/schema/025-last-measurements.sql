-- Experiments that are measured once more after they were paused or ended. The version before ignores it.
create index experiments_measured_last on experiments (workspace_id, id) where status in ('paused', 'ended');
