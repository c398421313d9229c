import { type ListedEvent, pageOfPersons } from '../../clickhouse/queries/events/events-of-persons.js'
import { notFound } from '../domain-errors.js'
import { personKeysOf } from '../persons/index.js'
import type { Services } from '../services.js'

/**
 * All events of a person in the order of receipt, in batches.
 *
 * @param personId `user:ID` or `anonymous:ID`
 * @throws DomainError NOT_FOUND if there are none
 */
export async function exportPerson(
  services: Services,
  workspaceId: string,
  personId: string,
  signal: AbortSignal,
): Promise<AsyncIterable<readonly ListedEvent[]>> {
  const person = await personKeysOf(services, workspaceId, personId)
  if (person === undefined) throw notFound('person')
  const { keys: personKeys } = person
  const read = (after: ListedEvent | undefined, within?: AbortSignal) =>
    pageOfPersons(services.clickhouse, { workspaceId, personKeys, after, signal: within })
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
