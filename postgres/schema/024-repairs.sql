-- A pull request that puts back what a merged cleanup took away from others. The version before takes one for a cleanup.
alter table pull_requests drop constraint pull_requests_purpose_check;
alter table pull_requests add constraint pull_requests_purpose_check check (purpose in ('pr', 'cleanup', 'repair'));
