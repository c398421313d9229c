-- @repeat
-- A workspace a transaction: its writers wait for some milliseconds, for each 10,000 experiments that it has; nobody else does.
select * from fill_experiment_counts();
