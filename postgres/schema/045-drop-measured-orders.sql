-- The rows are complete. Only lists of the version before 041 read these orders.
drop table experiment_figures_copied;
drop index experiment_measurements_by_exposed, experiment_measurements_by_lift, experiment_measurements_by_confidence;
