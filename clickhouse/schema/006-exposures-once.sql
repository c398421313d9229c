-- Exposures are parsed once as they are stored, and not five times. What the parser makes of a value that is no text is told from a text only where it may be one: a number, a truth, a list or an object.
-- Text that it does not take at all is repaired as before.
ALTER TABLE exposures_feed @cluster MODIFY QUERY
SELECT
    workspace_id,
    said.1 AS experiment,
    timestamp,
    received_at,
    log_id,
    log_partition,
    log_offset,
    request_index,
    if(if(match(said.2, '^(?:[-0-9\\[{]|true$|false$)'), JSONType(json, 'variant') = 'String', 1), said.2, '') AS variant,
    person_key,
    adjustment,
    properties
FROM (
    SELECT
        *,
        if(isRefused, arrayStringConcat(arrayMap(
            part -> if(startsWith(part, '"'), part, replaceRegexpAll(replaceRegexpAll(part, '([:\\[,]-?[0-9]{19,21})([,\\]}])', '\\1.0\\2'), '([:\\[,]-?[0-9]{19,21})([,\\]}])', '\\1.0\\2')),
            extractAll(arrayStringConcat(arrayMap(
                part -> if(startsWith(part, '\\ud'), '\\ufffd', part),
                extractAll(properties, '\\\\u[0-9a-f]{4}|\\\\[^u]|[^\\\\]+'))), '"(?:[^"\\\\]|\\\\.)*"|[^"]+'))), properties) AS json,
        if(isRefused, JSONExtract(json, 'Tuple(experiment String, variant String)'), first) AS said
    FROM (
        SELECT
            *,
            JSONExtract(properties, 'Tuple(experiment String, variant String)') AS first,
            first.1 = '' AND NOT isValidJSON(properties) AS isRefused
        FROM events
        WHERE event = '$exposure'
    )
)
WHERE experiment != '' AND length(experiment) <= 64
    AND if(match(experiment, '^(?:[-0-9\\[{]|true$|false$)'), JSONType(json, 'experiment') = 'String', 1);
