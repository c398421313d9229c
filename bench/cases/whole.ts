import { setTimeout as sleep } from 'node:timers/promises'
import { call, startService, storedEvents, until } from '../../test/support/service.js'
import { parseRate } from '../support/bare.js'
import { startCounting } from '../support/cost.js'
import type { Figure } from '../support/figures.js'
import { percentile, timed } from '../support/figures.js'
import { probe } from '../support/probe.js'
import { cpuOfTree, pssOfTree } from '../support/process-tree.js'
import { runLoad } from '../support/run-load.js'

const MIB = 1024 * 1024
const EVENTS_A_REQUEST = 500

/**
 * The whole program as `npm start` runs it: full load (closed loop), then half of that rate (open loop) while single events are sent and asked for, then memory.
 */
export async function wholeCase(folder: string, seconds: number): Promise<Figure[]> {
  const batches = { connections: 8, eventsPerRequest: EVENTS_A_REQUEST }
  const bareBefore = parseRate(seconds / 8)
  const service = await startService(folder, { logLevel: 'error' })
  try {
    const pid = service.process.pid ?? 0
    await sleep(3_000)
    const idle = pssOfTree(pid)
    const idleCpu = await cpuOver(pid, 3)
    const port = Number(new URL(service.ingest).port)
    const load = { host: '127.0.0.1', port, key: service.keys.serverKey, ...batches }
    await runLoad({ ...load, seconds: 2, seed: 1 })
    const counting = startCounting(pid)
    let peak = 0
    const watch = setInterval(() => {
      peak = Math.max(peak, pssOfTree(pid))
    }, 500)
    const full = await runLoad({ ...load, seconds, seed: 2 })
    const total = full.accepted
    const before = await storedEvents(service)
    const settled = await until(() => storedEvents(service), same(before), 120)
    clearInterval(watch)
    const cost = counting.cost(total)
    const perCpu = total / cost.tree
    // Before and after, since other work on the machine changes what a CPU second is worth.
    const bare = (bareBefore + parseRate(seconds / 8)) / 2
    // The rate the whole path sustains: what one is accepted at while the other falls behind is no rate to halve.
    const rate = Math.min(full.accepted / full.seconds, perCpu) * 0.5
    const probing = { on: true }
    const probes = probe(service, probing)
    await sleep(500)
    const half = await runLoad({
      ...load,
      connections: 16,
      seconds: seconds * 1.5,
      seed: 3,
      requestsPerSecond: rate / EVENTS_A_REQUEST,
    })
    probing.on = false
    const visible = await probes
    await until(() => storedEvents(service), same(-1), 60)
    const get = (path: string) => timed(() => call(service.keys.apiKey, 'GET', `${service.api}/v1${path}`))
    const names = await get('/funnel/events')
    const newest = await get('/events?limit=50')
    return [
      { name: 'accepted at full load', value: full.accepted / full.seconds, unit: 'events/s' },
      {
        name: 'whole path, full load until stored',
        value: perCpu,
        unit: 'events/CPU s',
        ratio: perCpu / bare,
        ratioTo: 'JSON.parse + ajv',
        cost,
      },
      { name: 'load generator', value: full.cpuSeconds, unit: 'CPU s' },
      { name: 'half load', value: half.accepted / half.seconds, unit: 'events/s' },
      { name: 'p99 of a batch at half load', value: percentile(half.latenciesMs, 0.99), unit: 'ms' },
      { name: '202 to visible, p50', value: percentile(visible, 0.5), unit: 'ms' },
      {
        name: '202 to visible, p99',
        value: percentile(visible, 0.99),
        unit: 'ms',
        ratio: percentile(visible, 0.99) / percentile(half.latenciesMs, 0.99),
        ratioTo: 'p99 of a batch',
      },
      { name: 'probes', value: visible.length, unit: '' },
      { name: 'idle memory (PSS)', value: idle / MIB, unit: 'MiB' },
      { name: 'idle CPU', value: idleCpu * 100, unit: '% of a core' },
      { name: 'most memory at full load (PSS)', value: peak / MIB, unit: 'MiB' },
      { name: 'events stored', value: settled, unit: '' },
      { name: 'event names, over HTTP', value: names, unit: 'ms' },
      { name: 'newest 50, over HTTP', value: newest, unit: 'ms' },
    ]
  } finally {
    await service.stop()
  }
}

/** True once a count has not changed for a second and a half. */
function same(first: number): (count: number) => boolean {
  let last = first
  let since = performance.now()
  return (count) => {
    if (count !== last) {
      last = count
      since = performance.now()
    }
    return performance.now() - since > 1_500
  }
}

async function cpuOver(pid: number, seconds: number): Promise<number> {
  const before = cpuOfTree(pid)
  await sleep(seconds * 1_000)
  return (cpuOfTree(pid) - before) / seconds
}
