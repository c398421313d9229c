import type { Sql } from '../../../../postgres/driver/client.js'

/** The tables of the version before: those of pg-boss 10.4, and its own index over running jobs. */
export async function createPgBossTables(
  sql: Sql,
  queues: readonly (readonly [name: string, serialBy: string])[],
): Promise<void> {
  await sql.unsafe(`
    create schema jobs;
    create type jobs.job_state as enum ('created', 'retry', 'active', 'completed', 'cancelled', 'failed');
    create table jobs.queue (name text primary key, policy text, partition_name text);
    create table jobs.job (
      id uuid not null default gen_random_uuid(),
      name text not null,
      priority integer not null default 0,
      data jsonb,
      state jobs.job_state not null default 'created',
      retry_limit integer not null default 2,
      retry_count integer not null default 0,
      retry_delay integer not null default 0,
      retry_backoff boolean not null default false,
      start_after timestamp with time zone not null default now(),
      started_on timestamp with time zone,
      singleton_key text,
      singleton_on timestamp without time zone,
      expire_in interval not null default interval '15 minutes',
      created_on timestamp with time zone not null default now(),
      completed_on timestamp with time zone,
      keep_until timestamp with time zone not null default now() + interval '14 days',
      output jsonb,
      dead_letter text,
      policy text,
      primary key (name, id)
    ) partition by list (name)`)
  for (const [index, [name, serialBy]] of queues.entries()) {
    await sql.unsafe(`
      insert into jobs.queue values ('${name}', 'short', 'j${index}');
      create table jobs.j${index} partition of jobs.job for values in ('${name}');
      create unique index on jobs.j${index} (name, coalesce(singleton_key, '')) where state = 'created' and policy = 'short';
      create unique index "running ${name} ${serialBy}" on jobs.j${index} ((data->>'${serialBy}')) where state = 'active'`)
  }
}

/**
 * Sends a job as that version does.
 * @returns whether a row was added; otherwise a job of the key waits already
 */
export async function sendByPgBoss(
  sql: Sql,
  name: string,
  key: string,
  data: Readonly<Record<string, string>>,
): Promise<boolean> {
  const { count } = await sql`
    insert into jobs.job (name, data, singleton_key, policy) values (${name}, ${sql.json(data)}, ${key}, 'short')
    on conflict do nothing returning id`
  return count === 1
}
