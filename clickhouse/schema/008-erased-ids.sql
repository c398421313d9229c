-- Hashes of the insertIds of erased events, until their month has ended: an event that is sent again stays erased.

CREATE TABLE IF NOT EXISTS erased_ids @cluster
(
    workspace_id UUID CODEC(ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    insert_hash UInt128 CODEC(ZSTD(1))
)
ENGINE = @engine(ReplacingMergeTree)
PARTITION BY toYYYYMM(received_at)
ORDER BY (workspace_id, insert_hash)
-- Two days more, for a backlog over the end of a month.
TTL toStartOfMonth(received_at) + INTERVAL 1 MONTH + INTERVAL 2 DAY
SETTINGS ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1;
