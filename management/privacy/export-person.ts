import { type ListedEvent, pageOfPersons } from '../../clickhouse/queries/events/events-of-persons.js'
import { workspaceHashKeys } from '../../log/hash-keys.js'
import { personKeyOf } from '../../log/record.js'
import { linksOfUser } from '../../postgres/tables/identity-links.js'
import { notFound } from '../domain-errors.js'
import type { Services } from '../services.js'

/**
 * All events of a person in the order of receipt, in batches.
 *
 * @param personId `user:ID` or `anonymous:ID`
 * @throws DomainError NOT_FOUND if there are none
 */
export async function exportPerson(
  { sql, clickhouse, secretKey }: Services,
  workspaceId: string,
  personId: string,
  signal: AbortSignal,
): Promise<AsyncIterable<readonly ListedEvent[]>> {
  const [, kind, id = ''] = /^(user|anonymous):(.+)$/s.exec(personId) ?? []
  if (kind !== 'user' && kind !== 'anonymous') throw notFound('person')
  const key = personKeyOf(kind, id, workspaceHashKeys(secretKey, workspaceId))
  const links = kind === 'user' ? await linksOfUser(sql, workspaceId, String(key)) : []
  const personKeys = [key, ...links.map(({ anonymousKey }) => BigInt(anonymousKey))]
  const read = (after: ListedEvent | undefined, within?: AbortSignal) =>
    pageOfPersons(clickhouse, { workspaceId, personKeys, after, signal: within })
  const first = await read(undefined, signal)
  if (first.length === 0) throw notFound('person')
  return batchesFrom(first, read)
}

async function* batchesFrom(
  first: readonly ListedEvent[],
  next: (after: ListedEvent) => Promise<readonly ListedEvent[]>,
): AsyncGenerator<readonly ListedEvent[]> {
  for (let batch = first; ; ) {
    yield batch
    const last = batch.at(-1)
    if (last === undefined) return
    batch = await next(last)
    if (batch.length === 0) return
  }
}
