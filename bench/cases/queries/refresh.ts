import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEmbeddedClickHouse } from '../../../clickhouse/embedded/open.js'
import { REFRESH_MS } from '../../../management/results/refresh.js'
import { call, type RunningService, startService } from '../../../test/support/service.js'
import { cpuOfTree } from '../../support/cost/process-tree.js'
import { type Figure, percentile } from '../../support/figures.js'
import { probe } from '../../support/load/probe.js'
import { runLoad } from '../../support/load/run-load.js'
import { someAtOnce } from '../../support/some-at-once.js'

const HOUR = 3_600_000
const EVENTS_A_REQUEST = 500
const EVENTS_A_SECOND = 2_000
/**
 * Length of each window, with and without refreshing in turns, so that other work on the machine affects
 * both.
 */
const WINDOW_MS = 10_000
const WINDOWS = 8
/** The target is five. */
const MAX_MINUTES = 10
const ANALYST_PAUSE_MS = 100
const MAX_PARALLEL = 8

export interface RefreshCaseOptions {
  /** Stored before the run. */
  readonly events: number
  /** Running at the same time, in one workspace. */
  readonly experiments: number
}

/**
 * The program as `npm start` runs it, with experiments that are all due for measuring, ingestion and an
 * analyst.
 */
export async function refreshCase(
  folder: string,
  { events, experiments }: RefreshCaseOptions,
): Promise<Figure[]> {
  const setup = await startService(folder, { logLevel: 'error' })
  const { workspaceId } = setup.keys
  await setup.stop()
  // Later than any start of the experiments, so that all of it counts.
  const begin = Date.now() + HOUR
  await storeEvents(folder, workspaceId, { events, experiments, begin })
  const service = await startService(folder, { logLevel: 'error' })
  try {
    const callApi = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
      const answer = await call<Body>(service.keys.apiKey, method, `${service.api}/v1${path}`, body)
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status}`)
      return answer.body
    }
    const keys = Array.from({ length: experiments }, (_, number) => `experiment-${number}`)
    for (const key of keys)
      await callApi('POST', '/experiments', {
        key,
        name: key,
        variants: ['Control', 'B'].map((displayName) => ({ displayName, trafficSplit: 50 })),
        conversionTargets: [{ eventName: 'purchase' }, { eventName: 'product_view', windowHours: 1 }],
      })
    const funnel = await callApi<{ id: string }>('POST', '/funnel', {
      name: 'analyst',
      steps: [{ eventName: 'product_view' }, { eventName: 'purchase' }],
    })
    const range = { from: new Date(begin).toISOString(), to: new Date(begin + HOUR).toISOString() }
    const analyst = () => callApi('POST', `/funnel/${funnel.id}/query`, range)
    await analyst()

    const going = { on: true }
    const load = keepSending(service, going)
    const measuredAlready = async () => {
      const { data } = await callApi<{ data: { measurements: { usersExposed: number } | null }[] }>(
        'GET',
        '/experiments?limit=200',
      )
      return data.filter(({ measurements }) => (measurements?.usersExposed ?? 0) > 0).length
    }
    // Pausing does not change what is measured, but stops refreshing.
    const applyToAll = (action: 'start' | 'pause' | 'resume') =>
      someAtOnce(keys, MAX_PARALLEL, (key) => callApi('POST', `/experiments/${key}/${action}`))
    const first = emptyMeasured()
    const [withRefresh, withoutRefresh] = [emptyMeasured(), emptyMeasured()]
    const allMeasured = async () => {
      for (const end = performance.now() + MAX_MINUTES * 60_000; performance.now() < end; await sleep(500))
        if ((await measuredAlready()) === experiments) return
      throw new Error(`not all were measured in ${MAX_MINUTES} minutes`)
    }
    await applyToAll('start')
    await measureWhile(service, analyst, allMeasured, first)
    say(`all measured in ${first.seconds.toFixed(0)} s`)
    for (let window = 0; window < WINDOWS; window++) {
      await applyToAll('pause')
      // Let the current measurement finish.
      await sleep(REFRESH_MS)
      await measureWhile(service, analyst, () => sleep(WINDOW_MS), withoutRefresh)
      await applyToAll('resume')
      await sleep(REFRESH_MS)
      await measureWhile(service, analyst, () => sleep(WINDOW_MS), withRefresh)
      say(`${window + 1} of ${WINDOWS} windows of either kind`)
    }
    going.on = false
    await load
    const visible = [...first.visibleMs, ...withRefresh.visibleMs]
    const shareOf = (share: number, { funnelMs: answers }: Measured) => percentile(answers, share)
    return [
      { name: `${experiments} experiments measured`, value: first.seconds, unit: 's' },
      { name: 'CPU of all until then, ingestion and analyst too', value: first.cpu, unit: 'CPU s' },
      {
        name: 'CPU of all with refreshing',
        value: withRefresh.cpu / withRefresh.seconds,
        unit: 'cores',
        ratioTo: 'without refreshing',
        ratio: withRefresh.cpu / withRefresh.seconds / (withoutRefresh.cpu / withoutRefresh.seconds),
      },
      { name: '202 to visible, p99', value: percentile(visible, 0.99), unit: 'ms' },
      { name: '202 to visible, most', value: Math.max(...visible), unit: 'ms' },
      { name: 'funnels asked for beside it', value: withRefresh.funnelMs.length, unit: 'answers' },
      ...([0.5, 0.9, 0.99] as const).map((share) => ({
        name: `an analyst's funnel, p${share * 100}`,
        value: shareOf(share, withRefresh),
        unit: 'ms',
        ratioTo: 'without refreshing',
        ratio: shareOf(share, withRefresh) / shareOf(share, withoutRefresh),
      })),
    ]
  } finally {
    await service.stop()
  }
}

function say(text: string): void {
  process.stderr.write(`  ${text}\n`)
}

interface Measured {
  readonly funnelMs: number[]
  readonly visibleMs: number[]
  cpu: number
  seconds: number
}

const emptyMeasured = (): Measured => ({ funnelMs: [], visibleMs: [], cpu: 0, seconds: 0 })

/** Measures an analyst's queries and single events while `work` runs, and the total cost. */
async function measureWhile(
  service: RunningService,
  analyst: () => Promise<unknown>,
  work: () => Promise<unknown>,
  spent: Measured,
): Promise<void> {
  const pid = service.process.pid ?? 0
  const going = { on: true }
  const asking = async () => {
    while (going.on) {
      const asked = performance.now()
      await analyst()
      spent.funnelMs.push(performance.now() - asked)
      await sleep(ANALYST_PAUSE_MS)
    }
  }
  const working = async () => {
    const [cpuBefore, began] = [cpuOfTree(pid), performance.now()]
    try {
      await work()
    } finally {
      going.on = false
    }
    spent.cpu += cpuOfTree(pid) - cpuBefore
    spent.seconds += (performance.now() - began) / 1_000
  }
  const [visible] = await Promise.all([probe(service, going), asking(), working()])
  spent.visibleMs.push(...visible)
}

async function keepSending(service: RunningService, going: { readonly on: boolean }): Promise<void> {
  for (let seed = 1; going.on; seed++)
    await runLoad({
      host: '127.0.0.1',
      port: Number(new URL(service.ingest).port),
      key: service.keys.serverKey,
      eventsPerRequest: EVENTS_A_REQUEST,
      requestsPerSecond: EVENTS_A_SECOND / EVENTS_A_REQUEST,
      connections: 2,
      seconds: 5,
      seed,
    })
}

/**
 * A tenth are exposures, each to one of the experiments; two fifths and a tenth belong to the two targets.
 */
async function storeEvents(
  folder: string,
  workspaceId: string,
  { events, experiments, begin }: RefreshCaseOptions & { readonly begin: number },
): Promise<void> {
  const clickhouse = await openEmbeddedClickHouse({ path: join(folder, 'clickhouse'), readers: 1 })
  try {
    await clickhouse.command(
      `INSERT INTO events (workspace_id, received_at, timestamp, has_timestamp, request_index, log_offset, person_key, event, properties)
       SELECT {workspace:UUID}, at, at, 1, number % 500, intDiv(number, 500), 1 + sipHash64(number, 'p') % {persons:UInt64} AS person, name,
         if(name = '$exposure', concat('{"experiment":"experiment-', toString(intDiv(number, 10) % {experiments:UInt64}), '","variant":"', ['control', 'b'][1 + person % 2], '"}'), '{"price":12.5}')
       FROM (
         SELECT number, multiIf(number % 10 < 1, '$exposure', number % 10 < 5, 'product_view', number % 10 < 6, 'purchase', 'scroll') AS name,
           fromUnixTimestamp64Milli(toInt64({begin:Int64} + intDiv(number * ${HOUR}, {events:UInt64})), 'UTC') AS at
         FROM numbers({events:UInt64}))`,
      {
        params: { workspace: workspaceId, events, experiments, begin, persons: Math.round(events / 20) },
        settings: { async_insert: 0 },
      },
    )
    for (const table of ['events', 'exposures']) await clickhouse.command(`OPTIMIZE TABLE ${table}`)
  } finally {
    await clickhouse.close()
  }
}
