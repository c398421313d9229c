-- Several partitions write a block each some times a second, and the tables of one server remember the tokens of all together. Far wider than any outage of one
-- partition while the others go on. Replicas keep theirs in Keeper, where so many would not fit into one answer: docs/cluster.md.
ALTER TABLE events @cluster MODIFY SETTING non_replicated_deduplication_window = 100000;
ALTER TABLE event_names @cluster MODIFY SETTING non_replicated_deduplication_window = 100000;
ALTER TABLE event_order @cluster MODIFY SETTING non_replicated_deduplication_window = 100000;
