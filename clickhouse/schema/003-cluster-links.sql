-- Links on a cluster, where a row reaches a replica some time after it was written: a minute later, or an hour, where the replica was away.
-- The dictionary of 001 asks for rows whose linked_at is new, and would never see such a row. So on a cluster it asks for the rows of parts that are
-- new to this replica: the time of a part is that of its arrival, or of the merge that holds it now. Nothing changes elsewhere.

-- @only cluster
CREATE OR REPLACE DICTIONARY links @cluster
(
    anonymous_key UInt64,
    user_key UInt64
)
PRIMARY KEY anonymous_key
SOURCE(CLICKHOUSE(
    QUERY 'SELECT anonymous_key, user_key FROM `@database`.identity_links WHERE _part IN (
        SELECT name FROM system.parts
        WHERE active AND database = ''@database'' AND table = ''identity_links'' AND {condition})'
    @credentials UPDATE_FIELD modification_time UPDATE_LAG 15))
LAYOUT(HASHED())
LIFETIME(1);
