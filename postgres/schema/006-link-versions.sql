-- Which links queries know, workspace by workspace, for answers that are kept: a link waits in link_outbox until queries can see it, and is counted
-- here by the transaction that takes it out. So while a workspace has nothing waiting and its count stays as it is, what its queries know of links is
-- the same. Counted when it leaves, not when it comes: few do that, while many requests link at once and would wait for each other.

create table link_versions (
  workspace_id uuid primary key,
  delivered bigint not null
);

create function count_delivered_links() returns trigger language plpgsql as $$
begin
  insert into link_versions as v (workspace_id, delivered)
  select workspace_id, count(*) from delivered group by workspace_id order by workspace_id
  on conflict (workspace_id) do update set delivered = v.delivered + excluded.delivered;
  return null;
end $$;
create trigger link_outbox_delivered after delete on link_outbox
  referencing old table as delivered
  for each statement execute function count_delivered_links();
