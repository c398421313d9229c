import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { seededRandom } from '../../bench/support/random.js'
import { call, type RunningService, startService, temporaryDataDir, until } from '../support/service.js'

/**
 * Kills the whole program (main, gateway, Postgres) while requests are in flight, some of them at named moments of the pipeline, and counts at the end. Each client
 * sends batches under an event name of its own and knows what was acknowledged; what got no answer is sent again, with the same insertIds, until it is.
 */
const FAULTS = [
  'consumer:before-intent:4',
  'consumer:intent-written:3',
  'consumer:inserted:3',
  'consumer:marked:3',
  'identity:linked:6',
  'outbox:written:8',
  undefined,
  undefined,
] as const
const CLIENTS = 6
const BATCH = 40

t.test(
  'killed at any point, nothing accepted is lost and nothing is counted twice',
  { timeout: 170_000 },
  async (t) => {
    const random = seededRandom(20261121)
    const data = temporaryDataDir()
    t.teardown(() => data.remove())
    const acknowledged = new Map<string, number>()
    const plainAcknowledged = new Map<string, number>()
    const plainUnknown = new Map<string, number>()
    let batchNumber = 0

    for (const fault of [...FAULTS, 'end'] as const) {
      const last = fault === 'end'
      const service = await startService(data.path, {
        logLevel: 'silent',
        env: fault === undefined || last ? {} : { SVC_FAULT_POINT: fault },
      })
      let over = false
      let answered = 0
      const exited = new Promise<void>((resolve) => service.process.once('exit', () => resolve()))
      const clients = Array.from({ length: CLIENTS }, async (_, client) => {
        for (let round = 0; !over && !(last && round === 3); round++) {
          const id = `${client}-${batchNumber++}`
          const withIds = client % 2 === 0
          const name = `client_${client}`
          const events = Array.from({ length: BATCH }, (_, i) => ({
            event: name,
            userId: `user-${id}-${i}`,
            anonymousId: `anonymous-${id}-${i}`,
            ...(withIds ? { insertId: `${id}-${i}` } : {}),
          }))
          await sleep(random() * 40)
          const outcome = await send(service, events)
          if (outcome === 'accepted') {
            answered++
            const book = withIds ? acknowledged : plainAcknowledged
            book.set(name, (book.get(name) ?? 0) + BATCH)
          } else if (withIds) pending.push({ name, events })
          else plainUnknown.set(name, (plainUnknown.get(name) ?? 0) + BATCH)
        }
      })
      for (const batch of pending.splice(0)) {
        if ((await send(service, batch.events)) === 'accepted')
          acknowledged.set(batch.name, (acknowledged.get(batch.name) ?? 0) + BATCH)
        else pending.push(batch)
      }
      if (last) {
        await Promise.all(clients)
        t.same(pending, [], 'everything with an insertId was acknowledged in the end')
        await verify(service)
        t.equal(await service.stop(), 0)
      } else if (fault === undefined) {
        await sleep(150 + random() * 600)
        over = true
        await service.kill()
        await Promise.all(clients)
      } else {
        const reached = await Promise.race([exited.then(() => true), sleep(30_000).then(() => false)])
        over = true
        t.ok(reached, `the program was killed at ${fault} after ${answered} answers`)
        await service.kill()
        await Promise.all(clients)
      }
    }

    async function verify(service: RunningService): Promise<void> {
      const least = [...acknowledged.values(), ...plainAcknowledged.values()].reduce(
        (sum, count) => sum + count,
        0,
      )
      const counts = await until(
        async () => {
          const { body } = await call<{ data: { eventName: string; count: number }[] }>(
            service.keys.apiKey,
            'GET',
            `${service.api}/v1/funnel/events`,
          )
          return new Map(body.data.map(({ eventName, count }) => [eventName, count]))
        },
        (map) => [...map.values()].reduce((sum, count) => sum + count, 0) >= least,
      )
      for (const [name, count] of acknowledged) t.equal(counts.get(name), count, `${name}: each event once`)
      for (const [name, count] of plainAcknowledged) {
        const stored = counts.get(name) ?? 0
        // Without insertIds a request that got no answer may be there or not, but only whole.
        t.ok(
          stored >= count && stored <= count + (plainUnknown.get(name) ?? 0),
          `${name}: ${stored} of at least ${count}`,
        )
        t.equal(stored % BATCH, 0, `${name}: no request is torn`)
      }
      // Row by row: the vocabulary counts what the table holds, and every row is there once. Each event has a user of its own.
      const rows = new Map<string, number>()
      const seen = new Map<string, number>()
      for (let offset = 0; ; offset += 100) {
        const { body } = await call<{ data: Row[]; pagination: { hasMore: boolean } }>(
          service.keys.apiKey,
          'GET',
          `${service.api}/v1/events?limit=100&offset=${offset}`,
        )
        for (const { event, userId } of body.data) {
          seen.set(userId, (seen.get(userId) ?? 0) + 1)
          rows.set(event, (rows.get(event) ?? 0) + 1)
        }
        if (!body.pagination.hasMore) break
      }
      for (const [name, count] of counts)
        t.equal(rows.get(name), count, `${name}: table and vocabulary agree`)
      t.same([...seen].filter(([, times]) => times > 1).slice(0, 5), [], 'no event is stored twice')
    }
  },
)

interface Row {
  readonly event: string
  readonly userId: string
}

const pending: { name: string; events: object[] }[] = []

async function send(service: RunningService, events: object[]): Promise<'accepted' | 'unknown'> {
  try {
    const answer = await call(service.keys.serverKey, 'POST', `${service.ingest}/v1/events`, { events })
    return answer.status === 202 ? 'accepted' : 'unknown'
  } catch {
    return 'unknown'
  }
}
