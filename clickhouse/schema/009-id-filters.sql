-- Filters of insertIds, and snapshots that name them, for a consumer that takes a partition over without
-- its files (consumers/dedup/published-ids.ts). A cache: everything in it is checked when it is read, and
-- it may be emptied at any time.

CREATE TABLE IF NOT EXISTS id_filters @cluster
(
    log_id UUID,
    log_partition UInt16,
    month UInt32,
    kind Enum8('snapshot' = 0, 'filter' = 1),
    -- Unique. A superseded file is dropped whole, as a partition.
    file String,
    part UInt32,
    written_at DateTime DEFAULT now(),
    -- Bits of a filter do not compress.
    content String CODEC(NONE)
)
ENGINE = @engine(MergeTree)
PARTITION BY file
ORDER BY (log_id, log_partition, month, kind, part)
TTL written_at + INTERVAL 35 DAY
SETTINGS ttl_only_drop_parts = 1;
