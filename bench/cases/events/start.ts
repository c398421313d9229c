import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { packageRoot } from '../../../runtime/package-root.js'
import { freePort } from '../../../test/support/network/free-port.js'
import { killGroup, withoutSvc } from '../../../test/support/program.js'
import {
  call,
  countOf,
  type DevKeys,
  readDevKeys,
  startService,
  storedEvents,
  until,
} from '../../../test/support/service.js'
import { cpuOfTree } from '../../support/cost/process-tree.js'
import { type Figure, percentile } from '../../support/figures.js'
import { runLoad } from '../../support/load/run-load.js'

const FILLED = 'filled'
const ROUNDS = 3
const FILL_SECONDS = 10
const STORED_SECONDS = 600
/**
 * Full load before a kill, so that blocks, intents and links are under way and Postgres has a journal to
 * replay.
 */
const LOAD_SECONDS = 3
const LOOK_MS = 10
const LIMIT_SECONDS = 120
const WINDOW_SECONDS = 3_600
const FUNNEL_MS = 600_000

/**
 * How long `npm start` takes on a data directory that holds many events with insertIds, all of one month:
 * until it is ready, until a funnel over the last ten minutes is answered, and until an event that was sent
 * as soon as it was ready is seen,
 * for which deduplication has to know the month's ids. After a clean stop, and after a kill of everything
 * under full load. The events are taken in as any others are, once, and kept.
 */
export async function startCase(folder: string, events: number): Promise<Figure[]> {
  const dataDir = join(folder, `start-${events}`)
  const stored = await fill(dataDir, events)
  const keys = readDevKeys(dataDir)
  const clean: Start[] = []
  const killed: Start[] = []
  let running = await measureStart(dataDir, keys)
  try {
    // The last run left the directory by a clean stop.
    for (note(clean, running); clean.length < ROUNDS; note(clean, running)) {
      await running.stop()
      running = await measureStart(dataDir, keys)
    }
    for (; killed.length < ROUNDS; note(killed, running)) {
      await loaded(running, keys)
      killGroup(running.process)
      await running.exited
      running = await measureStart(dataDir, keys)
    }
  } finally {
    await running.stop()
  }
  return [
    { name: 'events stored', value: stored, unit: '' },
    ...figuresOf('a clean stop', clean),
    ...figuresOf('a kill under load', killed),
  ]
}

function note(starts: Start[], { start }: Running): void {
  starts.push(start)
  process.stderr.write(`  ${JSON.stringify(start)}\n`)
}

interface Start {
  readonly readySeconds: number
  readonly readyCpu: number
  readonly funnelSeconds: number
  readonly seenSeconds: number
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
  ]
}

async function fill(dataDir: string, events: number): Promise<number> {
  if (existsSync(join(dataDir, FILLED))) return events
  const service = await startService(dataDir, { logLevel: 'error' })
  try {
    let accepted = await storedEvents(service)
    while (accepted < events) {
      const load = { host: '127.0.0.1', port: Number(new URL(service.ingest).port), connections: 8 }
      const result = await runLoad({
        ...load,
        key: service.keys.serverKey,
        eventsPerRequest: 500,
        seconds: FILL_SECONDS,
        seed: freshSeed(),
      })
      accepted += result.accepted
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

/** A new seed each second, small enough for ids: no run repeats the insertIds of another. */
function freshSeed(): number {
  return Math.floor(Date.now() / 1_000) % 8_000_000
}

interface Running {
  readonly start: Start
  readonly process: ChildProcess
  readonly exited: Promise<void>
  readonly ports: Ports
  stop(): Promise<void>
}

interface Ports {
  readonly api: number
  readonly ingest: number
  readonly admin: number
}

async function measureStart(dataDir: string, keys: DevKeys): Promise<Running> {
  const ports = { api: await freePort(), ingest: await freePort(), admin: await freePort() }
  const api = `http://127.0.0.1:${ports.api}`
  const ingest = `http://127.0.0.1:${ports.ingest}`
  const admin = `http://127.0.0.1:${ports.admin}`
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1_000
  const child = spawn('npm', ['start'], {
    cwd: packageRoot(),
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...withoutSvc(process.env),
      SVC_DATA_DIR: dataDir,
      SVC_API_PORT: String(ports.api),
      SVC_INGEST_PORT: String(ports.ingest),
      SVC_ADMIN_PORT: String(ports.admin),
      SVC_LOG_LEVEL: 'warn',
    },
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await exited
  }
  const ended = exited.then(() => Promise.reject(new Error('npm start ended by itself')))
  // Ended on purpose later.
  ended.catch(() => {})
  try {
    const start = await Promise.race([firstAnswers(child, { api, ingest, admin }, keys, seconds), ended])
    return { start, process: child, exited, ports, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function firstAnswers(
  child: ChildProcess,
  { api, ingest, admin }: Readonly<Record<keyof Ports, string>>,
  keys: DevKeys,
  seconds: () => number,
): Promise<Start> {
  await answered(() => call(undefined, 'GET', `${admin}/readyz`), 200)
  await answered(() => call(keys.apiKey, 'GET', `${api}/v1/readiness`), 200)
  const before = await countOf(api, keys.apiKey, 'started')
  const event = { event: 'started', userId: 'somebody', insertId: `started-${Date.now()}` }
  await answered(() => call(keys.serverKey, 'POST', `${ingest}/v1/events`, { events: [event] }), 202)
  const readySeconds = seconds()
  const readyCpu = cpuOfTree(child.pid ?? 0)
  const seen = until(
    async () => (await countOf(api, keys.apiKey, 'started')) > before,
    (isThere) => isThere,
    LIMIT_SECONDS,
  ).then(seconds)
  const [funnelSeconds, seenSeconds] = await Promise.all([askFunnel(api, keys).then(seconds), seen])
  return { readySeconds, readyCpu, funnelSeconds, seenSeconds }
}

async function askFunnel(api: string, keys: DevKeys): Promise<void> {
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

async function loaded({ ports }: Running, keys: DevKeys): Promise<void> {
  await runLoad({
    host: '127.0.0.1',
    port: ports.ingest,
    key: keys.serverKey,
    connections: 8,
    eventsPerRequest: 500,
    seconds: LOAD_SECONDS,
    seed: freshSeed(),
  })
}

async function answered(ask: () => Promise<{ readonly status: number }>, wanted: number): Promise<void> {
  for (const end = performance.now() + LIMIT_SECONDS * 1_000; ; await sleep(LOOK_MS)) {
    const status = await ask().then(
      (answer) => answer.status,
      () => 0,
    )
    if (status === wanted) return
    if (performance.now() > end)
      throw new Error(`answered ${status} and not ${wanted} after ${LIMIT_SECONDS} s`)
  }
}
