-- Merging was a third of what storing takes, as each row is merged again for every fivefold of its part. Eightfold halves that, for two to four more parts in each range of sizes: docs/performance.md has
-- what it buys, and what it costs a funnel. Parts that rest are put together as before.
ALTER TABLE events @cluster MODIFY SETTING merge_selector_base = 8;
ALTER TABLE event_order @cluster MODIFY SETTING merge_selector_base = 8;
ALTER TABLE exposures @cluster MODIFY SETTING merge_selector_base = 8;
