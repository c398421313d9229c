import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startService, storedEvents } from '../../../test/support/service.js'
import { cpuOfTree, memoryOfTree } from '../../support/cost/process-tree.js'
import type { Figure } from '../../support/figures.js'
import { percentile } from '../../support/figures.js'
import { runLoad } from '../../support/load/run-load.js'
import { dedupBytes } from '../../support/programs/dedup-bytes.js'

const MIB = 1024 * 1024
/** Mostly small requests, far more per second than a key may send. */
const SIZES = [1, 1, 1, 1, 1, 1, 1, 10, 50, 500]
/** Low enough to be exceeded many times on any machine. */
const QUOTA = ['--requests-per-second', '300', '--events-per-second', '30000']
const MAX_SECONDS_UNTIL_VISIBLE = 300

/**
 * A client without limits: 64 connections that send again after every answer, against the whole program.
 * Afterwards counts everything that got a 202 through the management API.
 */
export async function floodCase(folder: string, seconds: number): Promise<Figure[]> {
  const service = await startService(folder, { logLevel: 'error' })
  try {
    const pid = service.process.pid ?? 0
    await promisify(execFile)(
      process.execPath,
      [new URL('../../../cli/main.js', import.meta.url).pathname, 'admin', 'quota', 'set', ...QUOTA],
      { env: { ...process.env, SVC_DATA_DIR: folder } },
    )
    let peak = 0
    let peakBesideDedup = 0
    let dedupAtPeak = 0
    const watch = async (signal: AbortSignal): Promise<void> => {
      while (!signal.aborted) {
        const [memory, dedup] = [memoryOfTree(pid).all, await dedupBytes(service.admin)]
        peak = Math.max(peak, memory)
        if (memory - dedup > peakBesideDedup) {
          peakBesideDedup = memory - dedup
          dedupAtPeak = dedup
        }
        await sleep(500)
      }
    }
    const watching = new AbortController()
    const watched = watch(watching.signal)
    const cpuBefore = cpuOfTree(pid)
    const flood = await runLoad({
      host: '127.0.0.1',
      port: Number(new URL(service.ingest).port),
      key: service.keys.serverKey,
      connections: 64,
      eventsPerRequest: SIZES,
      seconds,
      seed: 1,
    })
    const ended = performance.now()
    let stored = await storedEvents(service)
    while (stored < flood.accepted && performance.now() - ended < MAX_SECONDS_UNTIL_VISIBLE * 1_000) {
      await sleep(250)
      stored = await storedEvents(service)
    }
    const visibleAfter = (performance.now() - ended) / 1_000
    // A duplicate would arrive now.
    await sleep(2_000)
    stored = await storedEvents(service)
    const cpu = cpuOfTree(pid) - cpuBefore
    watching.abort()
    await watched
    return [
      { name: 'requests', value: flood.requests / flood.seconds, unit: 'requests/s' },
      ...Object.entries(flood.statuses).map(([status, count]) => ({
        name: `answers ${status}`,
        value: count,
        unit: '',
      })),
      { name: '429 and 503 without Retry-After', value: flood.withoutRetryAfter, unit: '' },
      { name: 'events accepted', value: flood.accepted, unit: '' },
      { name: 'accepted and not stored', value: flood.accepted - stored, unit: '' },
      { name: 'everything visible after the end', value: visibleAfter, unit: 's' },
      { name: 'p99 of an answer', value: percentile(flood.latenciesMs, 0.99), unit: 'ms' },
      { name: 'most memory (PSS)', value: peak / MIB, unit: 'MiB' },
      { name: 'most memory beside the deduplication sets', value: peakBesideDedup / MIB, unit: 'MiB' },
      { name: 'deduplication sets then', value: dedupAtPeak / MIB, unit: 'MiB' },
      { name: 'CPU of the program', value: cpu, unit: 'CPU s' },
      { name: 'load generator', value: flood.cpuSeconds, unit: 'CPU s' },
    ]
  } finally {
    await service.stop()
  }
}
