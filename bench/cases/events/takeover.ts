import { setTimeout as sleep } from 'node:timers/promises'
import type { ClickHouse } from '../../../clickhouse/port.js'
import { openRemoteClickHouse } from '../../../clickhouse/remote/open.js'
import { type Cluster, type StageProgram, startCluster } from '../../../test/support/cluster.js'
import { kafkaProblem } from '../../../test/support/kafka.js'
import { call } from '../../../test/support/service.js'
import type { Figure } from '../../support/figures.js'

const PARTITIONS = 12
/** Requests of this many events with insertIds reach nearly every partition. */
const EVENTS = 60
const EVERY_MS = 50
const LOOK_MS = 25
const LIMIT_MS = 60_000
/** Both consumers work this long before one leaves. */
const SETTLE_MS = 3_000

interface Departure {
  readonly name: string
  leave(consumer: StageProgram): void
  comeBack(consumer: StageProgram): Promise<void>
}

const DEPARTURES: readonly Departure[] = [
  {
    name: 'after kill -9',
    leave: (consumer) => void consumer.kill(),
    async comeBack(consumer) {
      await consumer.ended
      await consumer.start()
    },
  },
  {
    name: 'while it is frozen',
    leave: (consumer) => consumer.freeze(),
    comeBack: async (consumer) => consumer.thaw(),
  },
  {
    name: 'after SIGTERM',
    leave: (consumer) => void consumer.stop(),
    async comeBack(consumer) {
      await consumer.ended
      await consumer.start()
    },
  },
]

/**
 * Two consumers under steady load with default sessions, one of which leaves. Measures the time from then
 * until a later event is in ClickHouse, in the slowest of its partitions. Counts every event at the end.
 */
export async function takeoverCase(repeats: number): Promise<Figure[]> {
  const problem = kafkaProblem()
  if (problem !== undefined) throw new Error(problem)
  const cluster = await startCluster({
    brokers: 1,
    consumers: 2,
    apis: 0,
    env: { SVC_KAFKA_PARTITIONS: String(PARTITIONS) },
  })
  try {
    const clickhouse = await openRemoteClickHouse({ url: cluster.clickhouseUrl })
    const load = startLoad(cluster)
    const figures: Figure[] = []
    for (const departure of DEPARTURES) {
      const seconds: number[] = []
      for (let turn = 0; turn < repeats; turn++)
        seconds.push(await measure(cluster, clickhouse, departure, turn))
      figures.push(
        {
          name: `visible again ${departure.name}, longest of ${repeats}`,
          value: Math.max(...seconds),
          unit: 's',
        },
        {
          name: `visible again ${departure.name}, shortest of ${repeats}`,
          value: Math.min(...seconds),
          unit: 's',
        },
      )
    }
    const accepted = await load.stop()
    const { dead } = await cluster.settled(LIMIT_MS)
    const { rows: counted } = await clickhouse.query<{ rows: number; ids: number }>(
      'SELECT count() AS rows, uniqExact(insert_id) AS ids FROM events',
    )
    await clickhouse.close()
    const { rows = 0, ids = 0 } = counted[0] ?? {}
    return [
      ...figures,
      { name: 'events accepted', value: accepted, unit: '' },
      { name: 'lost', value: accepted - ids - dead, unit: '' },
      { name: 'doubled', value: rows - ids, unit: '' },
    ]
  } finally {
    await cluster.close()
  }
}

/** Seconds until the partitions of a leaving consumer continue elsewhere. */
async function measure(
  cluster: Cluster,
  clickhouse: ClickHouse,
  departure: Departure,
  turn: number,
): Promise<number> {
  const consumers = cluster.stages('consumers')
  const leaving = consumers[turn % consumers.length]
  if (leaving === undefined) throw new Error('there is no consumer')
  for (const end = Date.now() + LIMIT_MS; ; await sleep(200)) {
    const shares = await Promise.all(consumers.map(partitionsOf))
    if (shares.every(({ length }) => length === PARTITIONS / consumers.length)) break
    if (Date.now() > end) throw new Error(`the partitions are not shared evenly: ${JSON.stringify(shares)}`)
  }
  await sleep(SETTLE_MS)
  const partitions = await partitionsOf(leaving)
  // The gateway stamps events by the same machine's clock.
  const leftAt = Date.now()
  departure.leave(leaving)
  const seen = `SELECT uniqExact(log_partition) AS count FROM events
    WHERE toUnixTimestamp64Milli(received_at) > ${leftAt} AND log_partition IN (${partitions.join()})`
  let tookMs = 0
  for (; ; await sleep(LOOK_MS)) {
    const { rows } = await clickhouse.query<{ count: number }>(seen)
    const count = rows[0]?.count
    tookMs = Date.now() - leftAt
    if (count === partitions.length) break
    if (tookMs > LIMIT_MS) throw new Error(`${count} of ${partitions.length} partitions go on elsewhere`)
  }
  await departure.comeBack(leaving)
  return tookMs / 1_000
}

/** The event partitions that a consumer reports. */
async function partitionsOf(consumer: StageProgram): Promise<number[]> {
  const text = await (await fetch(`${consumer.admin}/metrics`)).text()
  return [...text.matchAll(/^svc_consumer_lag_records\{[^}]*partition="(\d+)"/gm)].map((match) =>
    Number(match[1]),
  )
}

/** Sends until stopped, then resolves with the number of accepted events. */
function startLoad({ keys, stages }: Cluster): { stop(): Promise<number> } {
  const [gateway] = stages('ingest')
  let accepted = 0
  let sent = 0
  let stopping = false
  const send = async (): Promise<void> => {
    const events = Array.from({ length: EVENTS }, () => {
      const insertId = `takeover-${sent++}`
      return { event: 'takeover', userId: insertId, insertId }
    })
    const answer = await call(keys.serverKey, 'POST', `${gateway?.url}/v1/events`, { events })
    if (answer.status !== 202) throw new Error(`the gateway answers ${answer.status}`)
    accepted += EVENTS
  }
  const run = async (): Promise<void> => {
    const started = performance.now()
    for (let turn = 1; !stopping; turn++) {
      await send()
      await sleep(Math.max(0, started + turn * EVERY_MS - performance.now()))
    }
  }
  const running = run()
  // The caller of `stop` gets the error.
  running.catch(() => {})
  return {
    async stop() {
      stopping = true
      await running
      return accepted
    },
  }
}
