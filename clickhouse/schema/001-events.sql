-- Events, their vocabulary, and the links between anonymous ids and users.
--
-- Every statement can be run again: a start that was killed half-way, or two starts at once, end in the same schema.
-- @cluster stands for ON CLUSTER, @engine(X) for X or its replicated form; `-- @only embedded` or `-- @only server` before
-- a statement keeps it to one kind of store (clickhouse/migrate.ts).

CREATE TABLE IF NOT EXISTS events @cluster
(
    workspace_id UUID CODEC(ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    timestamp DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    -- Milliseconds as sent; means something only where has_timestamp is 1.
    original_timestamp Int64 CODEC(Delta, ZSTD(1)),
    has_timestamp UInt8 CODEC(ZSTD(1)),
    -- Index into TIMESTAMP_ADJUSTMENTS (domain/event.ts).
    adjustment UInt8 CODEC(ZSTD(1)),
    request_index UInt16 CODEC(ZSTD(1)),
    log_offset UInt64 CODEC(Delta, ZSTD(1)),
    -- Keyed 128-bit hash of insert_id, 0 where there is none: what deduplication refills its sets from.
    insert_hash UInt128 CODEC(ZSTD(1)),
    person_key UInt64 CODEC(ZSTD(1)),
    event LowCardinality(String) CODEC(ZSTD(1)),
    user_id String CODEC(ZSTD(1)),
    anonymous_id String CODEC(ZSTD(1)),
    insert_id String CODEC(ZSTD(1)),
    sdk_version LowCardinality(String) CODEC(ZSTD(1)),
    properties String CODEC(ZSTD(1)),
    log_id UUID CODEC(ZSTD(1)),
    log_partition UInt16 CODEC(ZSTD(1)),
    INDEX received received_at TYPE minmax GRANULARITY 1
)
ENGINE = @engine(MergeTree)
PARTITION BY toYYYYMM(received_at)
ORDER BY (workspace_id, event, timestamp)
SETTINGS
    -- Wider than any take-over: an intent is carried out again under its token, and by then others may have written.
    non_replicated_deduplication_window = 10000,
    replicated_deduplication_window = 10000,
    replicated_deduplication_window_seconds = 2592000,
    -- A block is marked done in Postgres once the insert has returned: it must survive a power cut by then.
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    -- Above a block's size: compact parts cost a third less to write and to merge.
    min_bytes_for_wide_part = 104857600;

CREATE TABLE IF NOT EXISTS event_names @cluster
(
    workspace_id UUID,
    event String,
    count SimpleAggregateFunction(sum, UInt64),
    first_seen SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
    last_seen SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
    -- Where the rows stand by receipt: the listing of events starts its search there.
    first_received SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
    last_received SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
)
ENGINE = @engine(AggregatingMergeTree)
ORDER BY (workspace_id, event)
SETTINGS
    -- The token of a block covers the vocabulary too, so that carrying an intent out again repairs it and doubles nothing.
    non_replicated_deduplication_window = 10000,
    replicated_deduplication_window = 10000,
    replicated_deduplication_window_seconds = 2592000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS event_names_feed @cluster TO event_names AS
SELECT
    workspace_id,
    event,
    count() AS count,
    min(timestamp) AS first_seen,
    max(timestamp) AS last_seen,
    min(received_at) AS first_received,
    max(received_at) AS last_received
FROM events
GROUP BY workspace_id, event;

-- The truth about links in this store: rows of one key are equal, as the first link is never changed.
CREATE TABLE IF NOT EXISTS identity_links @cluster
(
    workspace_id UUID,
    anonymous_key UInt64,
    user_key UInt64,
    linked_at DateTime DEFAULT now()
)
ENGINE = @engine(ReplacingMergeTree)
ORDER BY anonymous_key
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- In memory only, filled from identity_links when the engine is opened: its own files lag behind after a kill.
-- @only embedded
CREATE TABLE IF NOT EXISTS links_join
(
    anonymous_key UInt64,
    user_key UInt64
)
ENGINE = Join(ANY, LEFT, anonymous_key)
SETTINGS persistent = 0;

-- Asks only for links newer than its last load, so that a reload a second is cheap.
-- @only server
CREATE DICTIONARY IF NOT EXISTS links @cluster
(
    anonymous_key UInt64,
    user_key UInt64
)
PRIMARY KEY anonymous_key
SOURCE(CLICKHOUSE(DB '@database' TABLE 'identity_links' @credentials UPDATE_FIELD linked_at UPDATE_LAG 15))
LAYOUT(HASHED())
LIFETIME(1);
