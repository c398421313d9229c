import type { Sql, Transaction } from '../driver/client.js'

/** The state of an experiment on a site: assigned by bucketing, or one variant for all visitors. */
export type ServedAs = true | string

/** A shipped winner is served this long after its cleanup was merged, for builds of before. */
const WINNER_DAYS = 30
/** A relay that has not asked for this long no longer counts. */
const RELAY_TTL_SECONDS = 3_600

/**
 * The served experiments of a workspace, by key in ascending order. Running ones are `true`; a shipped one is
 * its winner, until 30 days after its cleanup was merged. All others are left out: visitors see the control.
 *
 * @param key only the experiment of this key
 */
export async function readServingState(
  sql: Sql | Transaction,
  workspaceId: string,
  key?: string,
): Promise<Readonly<Record<string, ServedAs>>> {
  const rows = await sql<{ key: string; winner: string | null }[]>`
    select e.key, case e.status when 'shipped' then e.decision_variant end as winner
    from experiments e
    left join pull_requests c on c.experiment_id = e.id and c.purpose = 'cleanup' and c.state = 'merged'
    where e.workspace_id = ${workspaceId} and e.status in ('running', 'shipped')
      and (e.status = 'running' or c.id is null or c.updated_at > now() - make_interval(days => ${WINNER_DAYS}))
      ${key === undefined ? sql`` : sql`and e.key = ${key}`}
    order by e.key`
  return Object.fromEntries(rows.map(({ key, winner }) => [key, winner ?? true]))
}

export interface RelayVisit {
  readonly workspaceId: string
  readonly relay: string
  /** Wall clock in milliseconds. */
  readonly askedAt: number
}

/** Records when relays asked last, and forgets those that have been silent for an hour. */
export async function writeRelayVisits(sql: Sql, visits: readonly RelayVisit[]): Promise<void> {
  if (visits.length === 0) return
  await sql`
    insert into serving_relays as r (workspace_id, relay, asked_at)
    select * from unnest(${visits.map(({ workspaceId }) => workspaceId)}::uuid[], ${visits.map(({ relay }) => relay)}::text[],
      ${visits.map(({ askedAt }) => new Date(askedAt).toISOString())}::timestamptz[])
    on conflict (workspace_id, relay) do update set asked_at = greatest(r.asked_at, excluded.asked_at)`
  await sql`
    delete from serving_relays
    where workspace_id = any(${[...new Set(visits.map(({ workspaceId }) => workspaceId))]}::uuid[])
      and asked_at < now() - make_interval(secs => ${RELAY_TTL_SECONDS})`
}

/**
 * When the relay that has waited longest asked last, of those seen in the last hour; null if there is none.
 */
export async function oldestRelayVisit(sql: Sql | Transaction, workspaceId: string): Promise<Date | null> {
  const [row] = await sql<{ askedAt: Date | null }[]>`
    select min(asked_at) as "askedAt" from serving_relays
    where workspace_id = ${workspaceId} and asked_at >= now() - make_interval(secs => ${RELAY_TTL_SECONDS})`
  return row?.askedAt ?? null
}
