import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { startCluster } from '../../../test/support/cluster.js'
import { kafkaProblem } from '../../../test/support/kafka.js'
import { call, type RunningService, startService } from '../../../test/support/service.js'
import { startCounting } from '../../support/cost/cost.js'
import { cpuOfTree, watchMemory } from '../../support/cost/process-tree.js'
import { type Figure, timed } from '../../support/figures.js'
import { type LoadResult, runLoad } from '../../support/load/run-load.js'
import { batchesTo, waitForStored } from '../../support/load/whole-service.js'

const MIB = 1024 * 1024
/** One run of the generator: its latencies stay small enough to be passed as JSON. */
const CHUNK_SECONDS = 30
const MAX_WAIT_SECONDS = 1_800
/** Enough for a stable figure of each stage. */
const STAGES_SHARE = 0.05

/**
 * The cost of a number of events: time to load, CPU, memory and disk of the whole program on one machine,
 * then CPU of each stage and store with a real Kafka broker and ClickHouse server.
 */
export async function capacityCase(folder: string, events: number): Promise<Figure[]> {
  return [
    ...(await onOneMachine(folder, events)),
    ...(kafkaProblem() === undefined ? await byStage(events * STAGES_SHARE) : []),
  ]
}

async function onOneMachine(folder: string, events: number): Promise<Figure[]> {
  const service = await startService(folder, { logLevel: 'error' })
  try {
    const pid = service.process.pid ?? 0
    const counting = startCounting(pid)
    const watch = watchMemory(pid)
    const sent = await send({ url: service.ingest, key: service.keys.serverKey }, events)
    await waitForStored(service, sent.accepted, MAX_WAIT_SECONDS)
    const cost = counting.cost(sent.accepted)
    const peak = watch.most()
    const clickhouse = sizeOf(join(folder, 'clickhouse'))
    const minutes = await longestFunnel(service)
    const funnel = await timed(() => askFunnel(service, minutes))
    return [
      { name: 'events', value: sent.accepted, unit: '', cost },
      { name: 'stored by the clock', value: sent.accepted / cost.seconds, unit: 'events/s' },
      { name: 'load generator beside it', value: sent.cpuSeconds, unit: 'CPU s' },
      { name: 'most memory (PSS)', value: peak.all / MIB, unit: 'MiB' },
      { name: 'most memory without pages of files', value: peak.own / MIB, unit: 'MiB' },
      { name: 'ClickHouse on disk', value: clickhouse / sent.accepted, unit: 'bytes an event' },
      { name: 'log on disk at the end', value: sizeOf(join(folder, 'log')) / MIB, unit: 'MiB' },
      { name: 'Postgres on disk', value: sizeOf(join(folder, 'postgres')) / MIB, unit: 'MiB' },
      {
        name: 'funnel of three steps, longest time that fits into its memory',
        value: minutes,
        unit: 'minutes',
      },
      { name: 'the same again', value: funnel, unit: 'ms' },
    ]
  } finally {
    await service.stop()
  }
}

async function byStage(events: number): Promise<Figure[]> {
  const cluster = await startCluster({ brokers: 1, logLevel: 'error' })
  try {
    const [gateway] = cluster.stages('ingest')
    const [consumers] = cluster.stages('consumers')
    const target = { url: gateway?.url ?? '', key: cluster.keys.serverKey }
    // The broker's JVM compiles first.
    await send(target, events)
    await cluster.settled(MAX_WAIT_SECONDS * 1_000)
    const programs = {
      gateway: gateway?.pid,
      consumer: consumers?.pid,
      'Kafka broker': cluster.kafka.nodes[0]?.pid,
      'ClickHouse server': cluster.clickhouse.pid,
    }
    const spent = () => Object.entries(programs).map(([name, pid]) => [name, cpuOfTree(pid ?? 0)] as const)
    const before = new Map(spent())
    const { accepted } = await send(target, events)
    await cluster.settled(MAX_WAIT_SECONDS * 1_000)
    return spent().map(([name, seconds]) => ({
      name: `stages: ${name}`,
      value: ((seconds - (before.get(name) ?? 0)) / accepted) * 1e6,
      unit: 'CPU s a million events',
    }))
  } finally {
    await cluster.close()
  }
}

let nextSeed = 1

/** Sends at least this many events, as fast as they are accepted. */
async function send(
  { url, key }: { readonly url: string; readonly key: string },
  events: number,
): Promise<Pick<LoadResult, 'accepted' | 'cpuSeconds'>> {
  const target = batchesTo(url, key)
  const sum = { accepted: 0, cpuSeconds: 0 }
  let seconds = 2
  while (sum.accepted < events) {
    const chunk = await runLoad({ ...target, seconds, seed: nextSeed++ })
    sum.accepted += chunk.accepted
    sum.cpuSeconds += chunk.cpuSeconds
    const left = (events - sum.accepted) / (chunk.accepted / chunk.seconds)
    seconds = Math.min(CHUNK_SECONDS, Math.max(1, left))
  }
  return sum
}

/** The events of a run have times of the last hour or two. A funnel over too many of them is refused. */
async function longestFunnel(service: RunningService): Promise<number> {
  for (let minutes = 240; minutes > 1; minutes /= 2)
    if ((await askFunnel(service, minutes)) === 200) return minutes
  throw new Error('no funnel is answered')
}

async function askFunnel({ api, keys }: RunningService, minutes: number): Promise<number> {
  const steps = ['product_viewed', 'cart_added', 'purchased'].map((eventName) => ({ eventName }))
  const from = new Date(Date.now() - minutes * 60_000).toISOString()
  const { status } = await call(keys.apiKey, 'POST', `${api}/v1/funnel/query`, { steps, from })
  return status
}

/** Bytes of all files in a folder. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (sum, entry) =>
        sum + (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    )
}
