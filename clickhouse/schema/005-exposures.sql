-- Exposures to experiments, by experiment: what results read in place of the workspace's events.

CREATE TABLE IF NOT EXISTS exposures @cluster
(
    workspace_id UUID CODEC(ZSTD(1)),
    -- Keys as they were sent; the variant is empty where it is no text.
    experiment LowCardinality(String) CODEC(ZSTD(1)),
    timestamp DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    log_id UUID CODEC(ZSTD(1)),
    log_partition UInt16 CODEC(ZSTD(1)),
    log_offset UInt64 CODEC(Delta, ZSTD(1)),
    request_index UInt16 CODEC(ZSTD(1)),
    variant LowCardinality(String) CODEC(ZSTD(1)),
    person_key UInt64 CODEC(ZSTD(1)),
    adjustment UInt8 CODEC(ZSTD(1)),
    -- For segments.
    properties String CODEC(ZSTD(1))
)
-- The key is that of one event, so a row that came twice, which only the filling below can bring about, is one: queries say FINAL.
ENGINE = @engine(ReplacingMergeTree)
PARTITION BY toYYYYMM(received_at)
PRIMARY KEY (workspace_id, experiment, timestamp)
ORDER BY (workspace_id, experiment, timestamp, received_at, log_id, log_partition, log_offset, request_index)
SETTINGS
    -- As those of `events`: the token of a block covers this table too.
    non_replicated_deduplication_window = 100000,
    replicated_deduplication_window = 10000,
    replicated_deduplication_window_seconds = 2592000,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    min_bytes_for_wide_part = 104857600;

-- Before the filling, so that nothing that arrives meanwhile is missed. What is no exposure to any experiment there can be is left out: its key is no text, or longer than keys are.
-- The text that the parser is given is that of filters (clickhouse/queries/funnel/property-filter.ts): it takes neither whole numbers past 64 bits nor lone surrogates.
CREATE MATERIALIZED VIEW IF NOT EXISTS exposures_feed @cluster TO exposures AS
SELECT
    workspace_id,
    JSONExtractString(json, 'experiment') AS experiment,
    timestamp,
    received_at,
    log_id,
    log_partition,
    log_offset,
    request_index,
    if(JSONType(json, 'variant') = 'String', JSONExtractString(json, 'variant'), '') AS variant,
    person_key,
    adjustment,
    properties
FROM (
    SELECT
        *,
        if(isValidJSON(properties), properties, arrayStringConcat(arrayMap(
            part -> if(startsWith(part, '"'), part, replaceRegexpAll(replaceRegexpAll(part, '([:\\[,]-?[0-9]{19,21})([,\\]}])', '\\1.0\\2'), '([:\\[,]-?[0-9]{19,21})([,\\]}])', '\\1.0\\2')),
            extractAll(arrayStringConcat(arrayMap(
                part -> if(startsWith(part, '\\ud'), '\\ufffd', part),
                extractAll(properties, '\\\\u[0-9a-f]{4}|\\\\[^u]|[^\\\\]+'))), '"(?:[^"\\\\]|\\\\.)*"|[^"]+')))) AS json
    FROM events
    WHERE event = '$exposure'
)
WHERE JSONType(json, 'experiment') = 'String' AND experiment != '' AND length(experiment) <= 64;

-- What was stored before. Another start may be at it as well, or one was killed at it: the last statement makes one of two.
INSERT INTO exposures (workspace_id, experiment, timestamp, received_at, log_id, log_partition, log_offset, request_index, variant, person_key, adjustment, properties)
SELECT
    workspace_id,
    JSONExtractString(json, 'experiment') AS experiment,
    timestamp,
    received_at,
    log_id,
    log_partition,
    log_offset,
    request_index,
    if(JSONType(json, 'variant') = 'String', JSONExtractString(json, 'variant'), '') AS variant,
    person_key,
    adjustment,
    properties
FROM (
    SELECT
        *,
        if(isValidJSON(properties), properties, arrayStringConcat(arrayMap(
            part -> if(startsWith(part, '"'), part, replaceRegexpAll(replaceRegexpAll(part, '([:\\[,]-?[0-9]{19,21})([,\\]}])', '\\1.0\\2'), '([:\\[,]-?[0-9]{19,21})([,\\]}])', '\\1.0\\2')),
            extractAll(arrayStringConcat(arrayMap(
                part -> if(startsWith(part, '\\ud'), '\\ufffd', part),
                extractAll(properties, '\\\\u[0-9a-f]{4}|\\\\[^u]|[^\\\\]+'))), '"(?:[^"\\\\]|\\\\.)*"|[^"]+')))) AS json
    FROM events
    WHERE event = '$exposure'
)
WHERE JSONType(json, 'experiment') = 'String' AND experiment != '' AND length(experiment) <= 64
SETTINGS insert_deduplicate = 0;

OPTIMIZE TABLE exposures @cluster FINAL;
