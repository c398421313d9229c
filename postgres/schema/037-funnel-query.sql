-- How a funnel is queried unless a request says otherwise: { order, filters, exclusions, breakdown, interval, last }. Version 0.4
-- serves on and keeps it as it is.
alter table funnels add column query jsonb;
