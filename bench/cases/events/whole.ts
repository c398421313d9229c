import { setTimeout as sleep } from 'node:timers/promises'
import { call, type RunningService, startService } from '../../../test/support/service.js'
import { startCounting } from '../../support/cost/cost.js'
import { cpuOfTree, memoryOfTree, watchMemory } from '../../support/cost/process-tree.js'
import type { Figure } from '../../support/figures.js'
import { timed } from '../../support/figures.js'
import { probe } from '../../support/load/probe.js'
import { runLoad } from '../../support/load/run-load.js'
import { batchesTo, EVENTS_A_REQUEST, waitForStored } from '../../support/load/whole-service.js'
import { percentile } from '../../support/percentile.js'
import { parseRate } from '../../support/programs/bare.js'

const MIB = 1024 * 1024
/** Memory left over from the start is returned after half a minute. */
const IDLE_AFTER_MS = 40_000
const MAX_SECONDS = 300
/** Half of the whole path's throughput when visibility was first measured: 224 ms. */
const OLD_LOAD = 52_000

/**
 * The whole program as `npm start` runs it: full load (closed loop) until all of it is stored, then three
 * steady loads (open loop) with single events to time: half of what was stored per second, half of what a CPU
 * second stores, and one that is the same for all versions.
 */
export async function wholeCase(folder: string, seconds: number): Promise<Figure[]> {
  const bareBefore = parseRate(seconds / 8)
  const service = await startService(folder, { logLevel: 'error' })
  try {
    const pid = service.process.pid ?? 0
    await sleep(IDLE_AFTER_MS)
    const idle = memoryOfTree(pid)
    const idleCpu = await cpuOver(pid, 3)
    const load = batchesTo(service.ingest, service.keys.serverKey)
    const warm = await runLoad({ ...load, seconds: 2, seed: 1 })
    await waitForStored(service, warm.accepted, MAX_SECONDS)
    const counting = startCounting(pid)
    const watch = watchMemory(pid)
    const full = await runLoad({ ...load, seconds, seed: 2 })
    const total = full.accepted
    let expected = warm.accepted + total
    await waitForStored(service, expected, MAX_SECONDS)
    const cost = counting.cost(total)
    const peak = watch.most()
    const perCpu = total / cost.tree
    // Measured before and after, because other work on the machine changes what a CPU second is worth.
    const bare = (bareBefore + parseRate(seconds / 8)) / 2
    const loads = [
      { name: 'half of what is stored a second', rate: total / cost.seconds / 2 },
      { name: 'half of what a CPU second stores', rate: perCpu / 2 },
      { name: 'as ever', rate: OLD_LOAD },
    ]
    const steady: Figure[] = []
    for (const [index, { name, rate }] of loads.entries()) {
      const { figures, accepted } = await steadyFigures(service, name, { rate, seconds, seed: 3 + index })
      steady.push(...figures)
      expected += accepted
      await waitForStored(service, expected, MAX_SECONDS)
    }
    const get = (path: string) => timed(() => call(service.keys.apiKey, 'GET', `${service.api}/v1${path}`))
    const names = await get('/funnel/events')
    const newest = await get('/events?limit=50')
    return [
      { name: 'accepted at full load', value: full.accepted / full.seconds, unit: 'events/s' },
      { name: 'stored at full load', value: total / cost.seconds, unit: 'events/s' },
      {
        name: 'whole path, full load until stored',
        value: perCpu,
        unit: 'events/CPU s',
        ratio: perCpu / bare,
        ratioTo: 'JSON.parse + ajv',
        cost,
      },
      { name: 'load generator', value: full.cpuSeconds, unit: 'CPU s' },
      ...steady,
      { name: 'idle memory (PSS)', value: idle.all / MIB, unit: 'MiB' },
      { name: 'of it without pages of files', value: idle.own / MIB, unit: 'MiB' },
      { name: 'idle CPU', value: idleCpu * 100, unit: '% of a core' },
      { name: 'most memory at full load (PSS)', value: peak.all / MIB, unit: 'MiB' },
      { name: 'most memory at full load without pages of files', value: peak.own / MIB, unit: 'MiB' },
      { name: 'events stored', value: expected, unit: '' },
      { name: 'event names, over HTTP', value: names, unit: 'ms' },
      { name: 'newest 50, over HTTP', value: newest, unit: 'ms' },
    ]
  } finally {
    await service.stop()
  }
}

/** A fixed load, and how soon single events are visible meanwhile. */
async function steadyFigures(
  service: RunningService,
  name: string,
  { rate, seconds, seed }: { readonly rate: number; readonly seconds: number; readonly seed: number },
): Promise<{ figures: Figure[]; accepted: number }> {
  const probing = { on: true }
  const probes = probe(service, probing)
  const load = { ...batchesTo(service.ingest, service.keys.serverKey), connections: 16, seconds, seed }
  const result = await runLoad({ ...load, requestsPerSecond: rate / EVENTS_A_REQUEST })
  probing.on = false
  const visible = await probes
  const batch = percentile(result.latenciesMs, 0.99)
  const p99 = percentile(visible, 0.99)
  const figures = [
    { name: `load ${name}`, value: result.accepted / result.seconds, unit: 'events/s' },
    { name: `load ${name}: p99 of a batch`, value: batch, unit: 'ms' },
    { name: `load ${name}: 202 to visible, p50`, value: percentile(visible, 0.5), unit: 'ms' },
    {
      name: `load ${name}: 202 to visible, p99`,
      value: p99,
      unit: 'ms',
      ratio: p99 / batch,
      ratioTo: 'p99 of a batch',
    },
  ]
  return { figures, accepted: result.accepted + visible.length }
}

async function cpuOver(pid: number, seconds: number): Promise<number> {
  const before = cpuOfTree(pid)
  await sleep(seconds * 1_000)
  return (cpuOfTree(pid) - before) / seconds
}
