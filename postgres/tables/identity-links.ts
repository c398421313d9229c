import type { Sql, Transaction } from '../driver/client.js'

/** Notified when rows are added to the outbox, so that queries see a link before the next poll. */
export const LINK_CHANNEL = 'svc_links'

/** Links as columns; at most one for each anonymous id of a workspace. */
export interface LinkColumns {
  readonly workspaces: string[]
  readonly anonymousIds: string[]
  readonly userIds: string[]
  /** Person keys, signed 64-bit integers as text. */
  readonly anonymousKeys: string[]
  readonly userKeys: string[]
  /** ISO 8601. */
  readonly linkedAt: string[]
}

/** A link on its way to ClickHouse. */
export interface OutboxLink {
  readonly id: string
  readonly workspaceId: string
  readonly anonymousKey: string
  readonly userKey: string
}

export interface InsertedLinks {
  /** New links. */
  readonly made: number
  /** By workspace: anonymous ids that are linked to another user already, whose link stays. */
  readonly contradicted: Readonly<Record<string, number>>
}

/**
 * Writes the links that are new, each with its outbox row. The first link of an anonymous id wins. Links of
 * persons who were erased before wait in `withheld_links`: the event may be one that stays erased.
 */
export async function insertLinks(sql: Sql | Transaction, links: LinkColumns): Promise<InsertedLinks> {
  if (links.workspaces.length === 0) return { made: 0, contradicted: {} }
  const [counts] = await sql<InsertedLinks[]>`
    with given as (
      select * from unnest(${links.workspaces}::uuid[], ${links.anonymousIds}::text[], ${links.userIds}::text[],
        ${links.anonymousKeys}::bigint[], ${links.userKeys}::bigint[], ${links.linkedAt}::timestamptz[])
        as given (workspace_id, anonymous_id, user_id, anonymous_key, user_key, linked_at)
    ), withheld as (
      insert into withheld_links (workspace_id, anonymous_id, user_id, anonymous_key, user_key, linked_at)
      select * from given g
      where (select exists (select from erased_persons)) and exists (
        select from erased_persons p where p.workspace_id = g.workspace_id
          and p.person_key in (g.user_key, g.anonymous_key) and p.erased_at < g.linked_at)
      returning workspace_id, anonymous_id
    ), offered as (
      select * from given where (workspace_id, anonymous_id) not in (select workspace_id, anonymous_id from withheld)
    ), fresh as (
      insert into identity_links (workspace_id, anonymous_id, user_id, anonymous_key, user_key, linked_at)
      select * from offered
      on conflict (workspace_id, anonymous_id) do nothing
      returning workspace_id, anonymous_key, user_key
    ), outgoing as (
      insert into link_outbox (workspace_id, anonymous_key, user_key)
      select workspace_id, anonymous_key, user_key from fresh
    )
    select (select count(*) from fresh)::integer as made, (
      select coalesce(jsonb_object_agg(workspace_id, events), '{}') from (
        select workspace_id, count(*) as events
        from offered join identity_links before using (workspace_id, anonymous_id)
        where before.user_key <> offered.user_key group by workspace_id
      ) as refused
    ) as contradicted`
  return counts ?? { made: 0, contradicted: {} }
}

/** A link of an erased person that waits until it is known whether its event was stored. */
export interface WithheldLink {
  readonly id: string
  readonly workspaceId: string
  readonly anonymousId: string
  readonly userId: string
  readonly anonymousKey: string
  readonly userKey: string
  /** When its event was received. */
  readonly linkedAt: Date
}

/** The oldest withheld links of workspaces without an erasure under way. */
export async function readWithheldLinks(sql: Sql, limit: number): Promise<readonly WithheldLink[]> {
  return sql<WithheldLink[]>`
    select id, workspace_id as "workspaceId", anonymous_id as "anonymousId", user_id as "userId",
      anonymous_key as "anonymousKey", user_key as "userKey", linked_at as "linkedAt"
    from withheld_links w
    where not exists (
      select from erasures e where e.workspace_id = w.workspace_id and e.status in ('pending', 'running'))
    order by id limit ${limit}`
}

export async function deleteWithheldLinks(sql: Sql | Transaction, ids: readonly string[]): Promise<void> {
  await sql`delete from withheld_links where id = any(${[...ids]}::bigint[])`
}

/** The anonymous ids that are linked to a user, with their keys. */
export async function linksOfUser(
  sql: Sql | Transaction,
  workspaceId: string,
  userKey: string,
): Promise<readonly { readonly anonymousId: string; readonly anonymousKey: string }[]> {
  return sql<{ anonymousId: string; anonymousKey: string }[]>`
    select anonymous_id as "anonymousId", anonymous_key as "anonymousKey" from identity_links
    where workspace_id = ${workspaceId} and user_key = ${userKey} order by anonymous_id`
}

/**
 * Users with linked anonymous ids.
 *
 * @param search part of the user id, in any case
 * @returns keys, signed 64-bit integers as text
 */
export async function findLinkedUsers(
  sql: Sql,
  workspaceId: string,
  search: string,
  limit: number,
): Promise<readonly { readonly userKey: string }[]> {
  return sql<{ userKey: string }[]>`
    select distinct user_key as "userKey" from identity_links
    where workspace_id = ${workspaceId} and position(lower(${search}) in lower(user_id)) > 0 limit ${limit}`
}

/** Removes the links of anonymous ids that were made up to a time. Returns their number. */
export async function deleteLinks(
  tx: Transaction,
  workspaceId: string,
  anonymousIds: readonly string[],
  until: Date,
): Promise<number> {
  const { count } = await tx`
    delete from identity_links
    where workspace_id = ${workspaceId} and anonymous_id = any(${[...anonymousIds]}) and linked_at <= ${until}`
  return count
}

/** Sends the present links of anonymous ids to ClickHouse again, after their old ones were removed there. */
export async function resendLinks(
  sql: Sql | Transaction,
  workspaceId: string,
  anonymousIds: readonly string[],
): Promise<void> {
  await sql`
    insert into link_outbox (workspace_id, anonymous_key, user_key)
    select workspace_id, anonymous_key, user_key from identity_links
    where workspace_id = ${workspaceId} and anonymous_id = any(${[...anonymousIds]})`
}

/**
 * Writes one link, its outbox row and the notification in one statement, so all of them or none. Waits for a
 * concurrent insert of the same anonymous id.
 *
 * @returns false if the anonymous id is linked already
 */
export async function insertLink(
  sql: Sql,
  link: {
    readonly workspaceId: string
    readonly anonymousId: string
    readonly userId: string
    readonly anonymousKey: bigint
    readonly userKey: bigint
    readonly linkedAt: Date
  },
): Promise<boolean> {
  const made = await sql`
    with link as (
      insert into identity_links (workspace_id, anonymous_id, user_id, anonymous_key, user_key, linked_at)
      values (${link.workspaceId}, ${link.anonymousId}, ${link.userId}, ${String(link.anonymousKey)},
        ${String(link.userKey)}, ${link.linkedAt})
      on conflict (workspace_id, anonymous_id) do nothing
      returning workspace_id, anonymous_key, user_key
    ), outgoing as (
      insert into link_outbox (workspace_id, anonymous_key, user_key)
      select workspace_id, anonymous_key, user_key from link
      returning id
    )
    select id, pg_notify(${LINK_CHANNEL}, '') from outgoing`
  return made.length > 0
}

/** The users that some anonymous ids of a workspace are linked to; ids without a link are left out. */
export async function findLinks(
  sql: Sql,
  workspaceId: string,
  anonymousIds: readonly string[],
): Promise<Map<string, string>> {
  if (anonymousIds.length === 0) return new Map()
  const rows = await sql<{ anonymous_id: string; user_id: string }[]>`
    select anonymous_id, user_id from identity_links
    where workspace_id = ${workspaceId} and anonymous_id = any(${[...anonymousIds]})`
  return new Map(rows.map((row) => [row.anonymous_id, row.user_id]))
}

/** Links of each workspace, and how many of them are on their way to ClickHouse. */
export async function countLinks(
  sql: Sql | Transaction,
): Promise<ReadonlyMap<string, { readonly made: number; readonly outgoing: number }>> {
  const rows = await sql<{ workspaceId: string; made: number; outgoing: number }[]>`
    select workspace_id as "workspaceId", count(*)::float8 as made, (
      select count(*)::float8 from link_outbox o where o.workspace_id = l.workspace_id) as outgoing
    from identity_links l group by workspace_id`
  return new Map(rows.map(({ workspaceId, ...counts }) => [workspaceId, counts]))
}

/** The oldest links of the outbox. */
export async function readOutbox(sql: Sql, limit: number): Promise<readonly OutboxLink[]> {
  return sql<OutboxLink[]>`
    select id, workspace_id as "workspaceId", anonymous_key as "anonymousKey", user_key as "userKey"
    from link_outbox order by id limit ${limit}`
}

/** Removes links that ClickHouse has. */
export async function deleteFromOutbox(sql: Sql, links: readonly OutboxLink[]): Promise<void> {
  await sql`delete from link_outbox where id = any(${links.map(({ id }) => id)}::bigint[])`
}
