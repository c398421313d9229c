-- An answer that waits for a job: the conclusion of the job writes it, in whichever process that comes about.
alter table idempotency_records
  -- The job, as its name and its key; null where none is waited for.
  add column awaits text collate "C",
  -- Whose form the answer has, and what it shows.
  add column operation text,
  add column subject text;
create index idempotency_records_awaited on idempotency_records (awaits) where awaits is not null and status is null;
