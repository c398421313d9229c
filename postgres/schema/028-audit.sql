-- Audit entries are only added. The trigger refuses everything else, to the owner of the table too, and during
-- replication.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit entries cannot be changed or removed' using errcode = 'restrict_violation';
end $$;
create trigger audit_entries_append_only before update or delete or truncate on audit_entries
  for each statement execute function refuse_audit_change();
alter table audit_entries enable always trigger audit_entries_append_only;

create index audit_entries_of_resource on audit_entries (workspace_id, resource_id, at desc, id desc);
