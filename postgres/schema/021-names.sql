-- Names without regard to case. The version before serves on: triggers fold what it writes, and only its lists by name are slower.
create function fold_name(name text) returns text language sql immutable strict parallel safe as
$$ select lower(upper(normalize(name, NFC) collate "und-x-icu")) $$;

-- Names of funnels are unique. Of names that were equal but for their case, the oldest has the key; the others keep their names until they are renamed.
alter table funnels add column name_key text collate "C";
with ranked as (
  select id, row_number() over (partition by workspace_id, fold_name(name) order by created_at, id) as place from funnels
)
update funnels f set name_key = fold_name(f.name) || case when place > 1 then ' ' || f.id else '' end from ranked where ranked.id = f.id;
create unique index funnels_name_key on funnels (workspace_id, name_key);
create function write_funnel_name_key() returns trigger language plpgsql as $$
begin
  new.name_key := fold_name(new.name);
  return new;
end $$;
create trigger funnels_write_name_key before insert on funnels for each row execute function write_funnel_name_key();
create trigger funnels_write_name_key_changed before update on funnels for each row
  when (old.name is distinct from new.name) execute function write_funnel_name_key();

-- Experiments are listed by name in the order of Unicode's collation. A line's name is only sorted by.
alter table experiment_lines alter column name type text collate "und-x-icu" using fold_name(name);
create or replace function write_experiment_line() returns trigger language plpgsql as $$
begin
  insert into experiment_lines (workspace_id, id, created_at, updated_at, started_at, estimated_lift, confidence, users_exposed, facets,
    priority_rank, experiment_run_id, name, search_text)
  values (new.workspace_id, new.id, new.created_at, new.updated_at, new.started_at, new.estimated_lift, new.confidence, new.users_exposed,
    experiment_facets(new.status, new.priority_rank, new.origin, new.kind, new.test_type, new.rejected_stage, new.has_pr),
    new.priority_rank, new.experiment_run_id, fold_name(new.name), new.search_text)
  on conflict (workspace_id, id) do update set
    created_at = excluded.created_at, updated_at = excluded.updated_at, started_at = excluded.started_at,
    estimated_lift = excluded.estimated_lift, confidence = excluded.confidence, users_exposed = excluded.users_exposed,
    facets = excluded.facets, priority_rank = excluded.priority_rank, experiment_run_id = excluded.experiment_run_id,
    name = excluded.name, search_text = excluded.search_text;
  return null;
end $$;
