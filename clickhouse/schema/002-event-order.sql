-- The order in which events were received: what a listing looks through instead of the events themselves, which lie by name.
-- docs/decisions/008-event-listing.md has what was measured.

CREATE TABLE IF NOT EXISTS event_order @cluster
(
    workspace_id UUID CODEC(ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    -- With received_at and request_index the id of the event, in its order (clickhouse/queries/event-id.ts).
    record UInt64 CODEC(ZSTD(1)),
    request_index UInt16 CODEC(ZSTD(1)),
    -- With workspace_id the key under which the event lies in `events`.
    event LowCardinality(String) CODEC(ZSTD(1)),
    timestamp DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1))
)
-- The key is that of one event, so a row that came twice, which only the filling below can bring about, is one after a merge.
ENGINE = @engine(ReplacingMergeTree)
PARTITION BY toYYYYMM(received_at)
PRIMARY KEY (workspace_id, received_at)
ORDER BY (workspace_id, received_at, record, request_index)
SETTINGS
    -- As those of `events`: the token of a block covers this table too.
    non_replicated_deduplication_window = 10000,
    replicated_deduplication_window = 10000,
    replicated_deduplication_window_seconds = 2592000,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    -- The listing reads the index in memory, which would leave the times out where nearly every granule begins with another workspace.
    primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1,
    min_bytes_for_wide_part = 104857600;

-- Before the filling, so that nothing that arrives meanwhile is missed.
CREATE MATERIALIZED VIEW IF NOT EXISTS event_order_feed @cluster TO event_order AS
SELECT
    workspace_id,
    received_at,
    bitShiftRight(sipHash64(log_id, log_partition, log_offset), 6) AS record,
    request_index,
    event,
    timestamp
FROM events;

-- What was stored before. Another start may be at it as well, or one was killed at it: the last statement makes one of two.
INSERT INTO event_order (workspace_id, received_at, record, request_index, event, timestamp)
SELECT
    workspace_id,
    received_at,
    bitShiftRight(sipHash64(log_id, log_partition, log_offset), 6) AS record,
    request_index,
    event,
    timestamp
FROM events
SETTINGS insert_deduplicate = 0;

OPTIMIZE TABLE event_order @cluster FINAL;
