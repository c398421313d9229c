import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  call,
  countOf,
  type RunningService,
  startService,
  storedEvents,
  until,
} from '../../../test/support/service.js'
import { cpuOfTree } from '../../support/cost/process-tree.js'
import type { Figure } from '../../support/figures.js'
import { runLoad } from '../../support/load/run-load.js'
import { percentile } from '../../support/percentile.js'

const FILLED = 'filled'
const ROUNDS = 3
const FILL_SECONDS = 10
const STORED_SECONDS = 600
/**
 * Full load before a kill, so that blocks, intents and links are under way and Postgres has a journal to
 * replay.
 */
const LOAD_SECONDS = 3
const LIMIT_SECONDS = 120
const WINDOW_SECONDS = 3_600
const FUNNEL_MS = 600_000
/** From the beginning of the start on. */
const FIRST_MINUTE_SECONDS = 60
const ENTRIES = /^svc_dedup_entries(?:\{[^}]*\})? (\d+)$/m

/** As `npm start` runs it. */
const settings = (memoryMb: number) => ({
  logLevel: 'warn',
  env: { UV_THREADPOOL_SIZE: '16', SVC_DEDUP_MEMORY_MB: String(memoryMb) },
})

/**
 * How long the program takes to start on a data directory that holds many events with insertIds, all of one
 * month: until it is ready, until a funnel over the last ten minutes is answered, and until an event that was
 * sent as soon as it was ready is seen, until deduplication knows the month's ids, and the CPU of the first
 * minute. After a clean stop, and after a kill of everything under full load. The events are taken in as any
 * others are, once, and kept.
 *
 * @param memoryMb of deduplication, as SVC_DEDUP_MEMORY_MB
 */
export async function startCase(folder: string, events: number, memoryMb: number): Promise<Figure[]> {
  const dataDir = join(folder, `start-${events}`)
  const stored = await fill(dataDir, events)
  // The last run left the directory by a clean stop.
  const clean = await measureStarts(dataDir, stored, memoryMb, () => Promise.resolve())
  const killed = await measureStarts(dataDir, stored, memoryMb, async () => {
    const service = await startService(dataDir, settings(memoryMb))
    await load(service, LOAD_SECONDS)
    await service.kill()
  })
  return [
    { name: 'events stored', value: stored, unit: '' },
    ...figuresOf('a clean stop', clean),
    ...figuresOf('a kill under load', killed),
  ]
}

interface Start {
  readonly readySeconds: number
  readonly readyCpu: number
  readonly funnelSeconds: number
  readonly seenSeconds: number
  readonly knownSeconds: number
  readonly minuteCpu: number
}

function figuresOf(end: string, starts: readonly Start[]): Figure[] {
  const of = (name: string, value: (start: Start) => number, unit: string): Figure => ({
    name: `after ${end}: ${name}`,
    value: percentile(starts.map(value), 0.5),
    unit,
  })
  return [
    of('ready', (start) => start.readySeconds, 's'),
    of('CPU until then', (start) => start.readyCpu, 'CPU s'),
    of('a funnel over ten minutes answered', (start) => start.funnelSeconds, 's'),
    of('an event seen that was sent when it was ready', (start) => start.seenSeconds, 's'),
    of('the ids of all events known', (start) => start.knownSeconds, 's'),
    of('CPU of the first minute', (start) => start.minuteCpu, 'CPU s'),
  ]
}

async function fill(dataDir: string, events: number): Promise<number> {
  if (existsSync(join(dataDir, FILLED))) return events
  const service = await startService(dataDir, { logLevel: 'error' })
  try {
    let accepted = await storedEvents(service)
    while (accepted < events) {
      accepted += (await load(service, FILL_SECONDS)).accepted
      const stored = await until(
        () => storedEvents(service),
        (count) => count >= accepted,
        STORED_SECONDS,
      )
      if (stored !== accepted) throw new Error(`${accepted} events were accepted and ${stored} are stored`)
      process.stderr.write(`  ${(stored / 1e6).toFixed(1)} of ${events / 1e6} million events stored\n`)
    }
    await writeFile(join(dataDir, FILLED), '')
    return accepted
  } finally {
    await service.stop()
  }
}

/** Each seed is new, and small enough for ids: no load repeats the insertIds of another. */
function load({ ingest, keys }: RunningService, seconds: number) {
  return runLoad({
    host: '127.0.0.1',
    port: Number(new URL(ingest).port),
    key: keys.serverKey,
    connections: 8,
    eventsPerRequest: 500,
    seconds,
    seed: Math.floor(Date.now() / 1_000) % 8_000_000,
  })
}

async function measureStarts(
  dataDir: string,
  stored: number,
  memoryMb: number,
  before: () => Promise<void>,
): Promise<Start[]> {
  const starts: Start[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await before()
    const start = await measureStart(dataDir, stored, memoryMb)
    process.stderr.write(`  ${JSON.stringify(start)}\n`)
    starts.push(start)
  }
  return starts
}

async function measureStart(dataDir: string, stored: number, memoryMb: number): Promise<Start> {
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1_000
  const service = await startService(dataDir, settings(memoryMb))
  try {
    const readySeconds = seconds()
    const readyCpu = cpuOfTree(service.process.pid ?? 0)
    const { api, ingest, keys } = service
    const before = await countOf(api, keys.apiKey, 'started')
    const event = { event: 'started', userId: 'somebody', insertId: `started-${Date.now()}` }
    const { status } = await call(keys.serverKey, 'POST', `${ingest}/v1/events`, { events: [event] })
    if (status !== 202) throw new Error(`the event was answered ${status}`)
    const seen = until(
      async () => (await countOf(api, keys.apiKey, 'started')) > before,
      (isThere) => isThere,
      LIMIT_SECONDS,
    ).then(seconds)
    const known = until(
      () => idsKnown(service),
      (ids) => ids >= stored,
      LIMIT_SECONDS,
    ).then(seconds)
    const [funnelSeconds, seenSeconds, knownSeconds] = await Promise.all([
      askFunnel(service).then(seconds),
      seen,
      known,
    ])
    await sleep(Math.max(0, FIRST_MINUTE_SECONDS - seconds()) * 1_000)
    const minuteCpu = cpuOfTree(service.process.pid ?? 0)
    return { readySeconds, readyCpu, funnelSeconds, seenSeconds, knownSeconds, minuteCpu }
  } finally {
    await service.stop()
  }
}

async function idsKnown({ admin }: RunningService): Promise<number> {
  const text = await (await fetch(`${admin}/metrics`)).text()
  return Number(ENTRIES.exec(text)?.[1] ?? 0)
}

async function askFunnel({ api, keys }: RunningService): Promise<void> {
  const steps = ['product_viewed', 'cart_added', 'purchased'].map((eventName) => ({ eventName }))
  const path = `${api}/v1/funnel`
  const funnel = await call<{ id: string }>(keys.apiKey, 'POST', path, { name: `Start ${Date.now()}`, steps })
  const names = await call<{ data: { eventName: string; lastSeenAt: string }[] }>(
    keys.apiKey,
    'GET',
    `${path}/events`,
  )
  const last = names.body.data.find(({ eventName }) => eventName === 'purchased')?.lastSeenAt ?? ''
  const { status, body } = await call(keys.apiKey, 'POST', `${path}/${funnel.body.id}/query`, {
    from: new Date(Date.parse(last) - FUNNEL_MS).toISOString(),
    to: last,
    windowSeconds: WINDOW_SECONDS,
  })
  if (status !== 200) throw new Error(`the funnel was answered ${status}: ${JSON.stringify(body)}`)
}
