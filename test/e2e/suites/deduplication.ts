import type { Test } from 'tap'
import type { Deployment } from '../../support/deployment.js'
import { call, callAgain, storedEvents, until } from '../../support/service.js'

/*
 * Deduplication over the whole program: HTTP in, listing out. Months, clocks and the forms of memory are
 * tested at the consumers, whose clock can be set (consumers/blocks/test/deduplicate-rows.ts,
 * consumers/dedup/test/deduplicator.ts).
 */

interface Sent {
  readonly event: string
  readonly userId: string
  readonly insertId?: string
  readonly properties?: object
}

async function send(service: Deployment, events: readonly Sent[]): Promise<number> {
  const { serverKey } = service.keys
  const { status } = await callAgain(serverKey, 'POST', () => `${service.ingest}/v1/events`, { events })
  return status
}

interface Listed {
  readonly event: string
  readonly userId: string
  readonly insertId: string | null
}

async function listed(service: Deployment): Promise<Listed[]> {
  const rows: Listed[] = []
  for (;;) {
    const { body } = await call<{ data: Listed[]; pagination: { hasMore: boolean } }>(
      service.keys.apiKey,
      'GET',
      `${service.api}/v1/events?limit=100&offset=${rows.length}`,
    )
    rows.push(...body.data)
    if (!body.pagination.hasMore) return rows
  }
}

/** Number of stored events once all accepted ones are. */
async function drained(service: Deployment): Promise<number> {
  const { stored } = await service.settled()
  return until(
    () => storedEvents(service),
    (listed) => listed === stored,
  )
}

/** Above what a megabyte remembers one by one. */
const MANY = 120_000

const ids = (count: number, event = 'e', from = 0): Sent[] =>
  Array.from({ length: count }, (_, i) => ({ event, userId: `user-${i}`, insertId: `id-${from + i}` }))

const DIFFERENT = [
  'abc',
  'ABC',
  'Abc',
  'abc ',
  ' abc',
  'abc\t',
  'caf\u00e9',
  'cafe\u0301',
  '\u212b',
  '\u00c5',
  'a'.repeat(200),
]

/** Each id once, however it comes, over restarts, kill -9 and less memory. */
export async function testDeduplication(t: Test, service: Deployment): Promise<void> {
  const batch = ids(200)
  const statuses = await Promise.all(Array.from({ length: 16 }, () => send(service, batch)))
  t.same(new Set(statuses), new Set([202]), 'sixteen equal requests at once are all accepted')
  await send(service, [...batch].reverse())
  await send(service, [...batch.slice(0, 50), ...batch.slice(0, 50)])
  await send(
    service,
    batch.map(({ insertId }, i) => ({
      event: `another_${i % 3}`,
      userId: 'another',
      insertId: insertId ?? '',
      properties: { price: i },
    })),
  )
  await send(
    service,
    [...DIFFERENT, ...DIFFERENT].map((insertId) => ({ event: 'different', userId: 'u', insertId })),
  )
  const plain = Array.from({ length: 3 }, () => ({ event: 'plain', userId: 'u' }))
  await Promise.all([send(service, plain), send(service, plain)])
  let expected = 200 + DIFFERENT.length + 6
  t.equal(await drained(service), expected)
  const rows = await listed(service)
  t.same(
    rows.flatMap(({ event, insertId }) => (event === 'different' ? [insertId] : [])).sort(),
    [...DIFFERENT].sort(),
    'ids stay as they were sent',
  )
  t.equal(rows.filter(({ event }) => event.startsWith('another')).length, 0, 'the first one counts')

  // More ids than a megabyte holds, sent twice, while memory is being given up; then what came before.
  for (const code of await service.restart({ SVC_DEDUP_MEMORY_MB: '1' })) t.equal(code, 0)
  for (let from = 0; from < MANY; from += 5_000)
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => send(service, ids(500, 'many', from + Math.floor(i / 2) * 500))),
    )
  await send(service, batch)
  expected += MANY - 200
  t.equal(await drained(service), expected, 'after a restart, with filters')

  // Killed right after the answer: acknowledged events are in the log and come first when it is read again.
  await Promise.all([send(service, ids(400, 'e', MANY)), send(service, ids(400, 'e', MANY))])
  await service.crash({ SVC_DEDUP_MEMORY_MB: '1' })
  await Promise.all([send(service, ids(500, 'e', MANY - 100)), send(service, ids(500, 'e', MANY))])
  await send(service, ids(500, 'e', 30_000))
  expected += 500
  t.equal(await drained(service), expected, 'after kill -9')
  for (const code of await service.stop()) t.equal(code, 0)
}
