import {
  listPersons,
  readPerson,
  type SeenVariant,
  type StoredPerson,
} from '../../clickhouse/queries/events/persons.js'
import { type PersonId, personId } from '../../domain/person.js'
import { findLinkedUsers, findLinks } from '../../postgres/tables/identity-links.js'
import { notFound } from '../domain-errors.js'
import type { Services } from '../services.js'
import { personKeysOf } from './person-keys.js'

/** Times of events in milliseconds. */
export interface EventPerson {
  readonly personId: PersonId
  readonly userId: string | null
  readonly firstSeenAt: number
  readonly lastSeenAt: number
  readonly events: number
}

export interface PersonDetail extends EventPerson {
  readonly anonymousIds: readonly string[]
  readonly experiments: readonly SeenVariant[]
}

export interface ListPersonsOptions {
  /** Part of an id, in any case; empty for all. */
  readonly search: string
  readonly limit: number
  readonly offset: number
}

/** Users whose ids were found in links, at most. */
const MAX_LINKED = 1_000

/** Persons by their last event, the newest first. Throws ClickHouseError. */
export async function searchPersons(
  { sql, clickhouse }: Services,
  workspaceId: string,
  { search, limit, offset }: ListPersonsOptions,
  signal: AbortSignal,
): Promise<{ readonly rows: readonly EventPerson[]; readonly total: number }> {
  const linked = search === '' ? [] : await findLinkedUsers(sql, workspaceId, search, MAX_LINKED)
  const personKeys = linked.map(({ userKey }) => BigInt(userKey))
  const { rows, total } = await listPersons(clickhouse, {
    workspaceId,
    search,
    personKeys,
    limit,
    offset,
    signal,
  })
  const links = await findLinks(
    sql,
    workspaceId,
    rows.filter(({ userId }) => userId === '').map(({ anonymousId }) => anonymousId),
  )
  return {
    rows: rows.map((row) => summaryOf(row, row.userId || (links.get(row.anonymousId) ?? null))),
    total,
  }
}

/** Throws NOT_FOUND, ClickHouseError. */
export async function findEventPerson(
  services: Services,
  workspaceId: string,
  id: string,
  signal: AbortSignal,
): Promise<PersonDetail> {
  const keys = await personKeysOf(services, workspaceId, id)
  if (keys === undefined) throw notFound('person')
  const { person, experiments } = await readPerson(services.clickhouse, workspaceId, keys.keys, signal)
  if (person === undefined) throw notFound('person')
  const [anonymousId = ''] = keys.anonymousIds
  return {
    ...summaryOf({ ...person, anonymousId }, keys.userId),
    anonymousIds: keys.anonymousIds,
    experiments,
  }
}

function summaryOf(
  { anonymousId, firstSeenAt, lastSeenAt, events }: StoredPerson,
  userId: string | null,
): EventPerson {
  return { personId: personId(userId, anonymousId, null), userId, firstSeenAt, lastSeenAt, events }
}
