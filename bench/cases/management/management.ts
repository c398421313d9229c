import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { connectPostgres, type Sql } from '../../../postgres/driver/client.js'
import { createKey, newId } from '../../../postgres/tables/workspaces.js'
import { cpuOfTree } from '../../support/cost/process-tree.js'
import {
  LARGE_OWNER,
  LARGE_WORKSPACE,
  MANAGEMENT_DATA_TIMES,
  openManagementData,
} from '../../support/data/management-data.js'
import { type Figure, percentile } from '../../support/figures.js'
import { cpuSince, expectStatus, type Flooding, flood } from '../../support/load/flood.js'
import { type Lane, openLane, requestText } from '../../support/load/lanes.js'
import { startManagementServer } from '../../support/programs/management-server.js'
import { seededRandom } from '../../support/random.js'

/** Targets. */
const TARGETS = { listMs: 20, searchMs: 50, statusPerCpuSecond: 5_000, createsPerSecond: 500 } as const
const PAGE = 50
const PAGES: readonly number[] = [2, 500]
const SORTS = [
  'createdAt',
  'updatedAt',
  'startedAt',
  'usersExposed',
  'name',
  'estimatedLift',
  'confidence',
  'priority',
]
const DIRECTIONS = ['desc', 'asc']

/** Each filter alone, and some together. */
function filtersOf(runId: string): Readonly<Record<string, string>> {
  const at = (share: number) =>
    new Date(
      MANAGEMENT_DATA_TIMES.begin + share * (MANAGEMENT_DATA_TIMES.end - MANAGEMENT_DATA_TIMES.begin),
    ).toISOString()
  return {
    'no filter': '',
    'one status, 1 %': 'status=ready',
    'one status, 25 %': 'status=rejected',
    'three statuses': 'status=running,shipped,dismissed',
    'one priority': 'priority=medium',
    'two priorities': 'priority=low,high',
    'one origin': 'origin=generated',
    'one run': `experimentRunId=${runId}`,
    'rejected stage': 'rejectedStage=pr',
    'with a pull request': 'hasPr=true',
    'without a pull request': 'hasPr=false',
    'created after': `createdAfter=${at(0.4)}`,
    'created before': `createdBefore=${at(0.6)}`,
    'created between': `createdAfter=${at(0.1)}&createdBefore=${at(0.9)}`,
    kind: 'kind=feature',
    'test type': 'testType=dom',
    'status, priority and kind': 'status=shipped,rejected&priority=medium,high&kind=experiment',
    'everything but a run':
      `status=rejected&priority=low,medium&origin=generated&rejectedStage=outcome&hasPr=true&createdAfter=${at(0.1)}` +
      `&createdBefore=${at(0.9)}&kind=experiment&testType=dom`,
  }
}

/** Search terms and the number of matching experiments in the large workspace. */
const SEARCHES: Readonly<Record<string, string>> = {
  'a ticket of one': 'search=exp-600000%20',
  'three letters, in 1 of 10,000 or fewer': 'search=9a7',
  'three letters, in 1 of 20': 'search=wis',
  'a word in 1 of 24': 'search=checkout',
  'two words in 1 of 300': 'search=sticky%20cart',
  'a word in every one': 'search=conversion',
  'three letters in every one': 'search=con',
  'a sentence in every one': 'search=we%20believe%20that%20this%20raises',
  'nothing found': 'search=xylophone',
  'nothing found, common letters': 'search=conversation%20checkers',
  'a word in every one, page 500': 'search=conversion&offset=24950',
  'a word in every one, by name': 'search=conversion&sortBy=name&sortDir=asc&offset=50',
  'a word in every one, of one status': 'search=conversion&status=rejected&sortBy=confidence',
  '% and a digit': 'search=5%25',
}

/**
 * The management API over HTTP on a million experiments in two hundred workspaces, called by the one that has
 * fifty thousand. Clock times cover request to end of response on one connection; CPU of API and Postgres is
 * counted apart.
 */
export async function managementCase(
  folder: string,
  kept: string,
  rows: number,
  seconds: number,
): Promise<Figure[]> {
  const postgres = await openManagementData(join(kept, `management-${rows}`), rows, (text) =>
    process.stderr.write(`  ${text}\n`),
  )
  const sql = connectPostgres({ url: postgres.url, applicationName: 'svc bench', maxConnections: 2 })
  try {
    const secretKey = randomBytes(32)
    const { key } = await createKey(sql, secretKey, {
      id: newId(),
      workspaceId: LARGE_WORKSPACE,
      personId: LARGE_OWNER,
      type: 'api',
      name: 'Bench',
      scopes: ['experiments.manage'],
      now: new Date(),
    })
    const server = await startManagementServer({
      postgresUrl: postgres.url,
      folder,
      secretKey: secretKey.toString('base64'),
    })
    const bench: Bench = {
      url: server.url,
      key,
      sql,
      cpu: () => ({ api: cpuOfTree(server.pid), postgres: cpuOfTree(postgres.pid) }),
    }
    try {
      const quick = rows < 1_000_000
      const parts = {
        lists: () => measureLists(bench, quick ? 2 : 6),
        searches: () => measureSearches(bench, quick ? 10 : 40),
        counts: () => measureCounts(bench),
        statuses: () => measureStatuses(bench, seconds),
        creates: () => measureCreates(bench, seconds),
      }
      const figures: Figure[] = []
      for (const [name, measure] of Object.entries(parts)) {
        process.stderr.write(`  ${name}\n`)
        figures.push(...(await measure()))
      }
      return figures
    } finally {
      await server.stop()
    }
  } finally {
    await sql.end({ timeout: 1 })
    await postgres.stop()
  }
}

interface Bench extends Flooding {
  readonly sql: Sql
}

/** Every filter with every sort in both directions, pages 2 and 500. */
async function measureLists(bench: Bench, rounds: number): Promise<Figure[]> {
  const [run] = await bench.sql<{ id: string }[]>`
    select experiment_run_id as id from experiments where workspace_id = ${LARGE_WORKSPACE} and experiment_run_id is not null
    group by 1 order by count(*) desc, 1 limit 1`
  const lane = await openLane(bench.url)
  const figures: Figure[] = []
  const slowest = { name: '', median: 0 }
  for (const [name, filter] of Object.entries(filtersOf(run?.id ?? newId())))
    for (const page of PAGES) {
      const times: number[] = []
      const before = bench.cpu()
      for (const sortBy of SORTS)
        for (const sortDir of DIRECTIONS) {
          const query = `limit=${PAGE}&offset=${(page - 1) * PAGE}&sortBy=${sortBy}&sortDir=${sortDir}&${filter}`
          const own = await timeRequests(lane, bench.key, `/experiments?${query.replace(/&$/, '')}`, rounds)
          times.push(...own)
          const median = percentile(own, 0.5)
          if (median > slowest.median) Object.assign(slowest, { name: query, median })
        }
      figures.push(
        ...timeFigures(
          `page ${page}, ${name}`,
          times,
          perRequest(bench, before, times.length, rounds),
          TARGETS.listMs,
        ),
      )
    }
  lane.close()
  process.stderr.write(`  slowest page: ${slowest.median.toFixed(1)} ms for ${slowest.name}\n`)
  return figures
}

async function measureSearches(bench: Bench, rounds: number): Promise<Figure[]> {
  const lane = await openLane(bench.url)
  const figures: Figure[] = []
  for (const [name, query] of Object.entries(SEARCHES)) {
    const before = bench.cpu()
    const times = await timeRequests(lane, bench.key, `/experiments?limit=${PAGE}&${query}`, rounds)
    figures.push(
      ...timeFigures(
        `search: ${name}`,
        times,
        perRequest(bench, before, times.length, rounds),
        TARGETS.searchMs,
      ),
    )
  }
  lane.close()
  return figures
}

async function measureCounts(bench: Bench): Promise<Figure[]> {
  const lane = await openLane(bench.url)
  const before = bench.cpu()
  const times = await timeRequests(lane, bench.key, '/experiments/counts', 40)
  lane.close()
  return timeFigures('counts by status', times, perRequest(bench, before, times.length, 40), TARGETS.listMs)
}

/** Polling from sixteen connections: ids and keys of experiments all over the workspace. */
async function measureStatuses(bench: Bench, seconds: number): Promise<Figure[]> {
  const known = await bench.sql<{ id: string; key: string }[]>`
    select id, key from experiments where workspace_id = ${LARGE_WORKSPACE} order by id limit 5000`
  const random = seededRandom(4)
  const requests = known.map(({ id, key }) =>
    requestText('GET', `/experiments/${random() < 0.5 ? id : key}/status`, bench.key),
  )
  await flood(bench, 16, 1, () => requests[Math.floor(random() * requests.length)] ?? '', 200)
  const load = await flood(
    bench,
    16,
    seconds,
    () => requests[Math.floor(random() * requests.length)] ?? '',
    200,
  )
  return [
    { name: 'status: p99 at 16 connections', value: percentile(load.times, 0.99), unit: 'ms' },
    { name: 'status: requests a second', value: load.times.length / load.seconds, unit: '/s' },
    targetFigure(
      'status: requests a CPU second of the API',
      load.times.length / load.cpu.api,
      '/CPU s',
      TARGETS.statusPerCpuSecond,
      true,
    ),
    {
      name: 'status: requests a CPU second of the API and Postgres',
      value: load.times.length / (load.cpu.api + load.cpu.postgres),
      unit: '/CPU s',
    },
  ]
}

async function measureCreates(bench: Bench, seconds: number): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [name, lanes, fields] of [
    ['16 connections', 16, () => ({})],
    ['32 connections', 32, () => ({})],
    ['64 connections', 64, () => ({})],
    [
      '32 connections, each with a surface of its own',
      32,
      (n: number) => ({ surfaces: [{ path: `src/written/${n}.html`, anchor: '#x' }] }),
    ],
  ] as const) {
    const next = () =>
      requestText('POST', '/experiments', bench.key, bodyOf(fields), { 'Idempotency-Key': newId() })
    await flood(bench, lanes, 1, next, 201)
    const load = await flood(bench, lanes, seconds, next, 201)
    const made = load.times.length
    figures.push(
      targetFigure(`create: ${name}`, made / load.seconds, '/s', TARGETS.createsPerSecond, true),
      { name: `create: ${name}, p99`, value: percentile(load.times, 0.99), unit: 'ms' },
      { name: `create: ${name}, CPU of the API`, value: (load.cpu.api * 1_000) / made, unit: 'ms CPU' },
      { name: `create: ${name}, CPU of Postgres`, value: (load.cpu.postgres * 1_000) / made, unit: 'ms CPU' },
    )
  }
  return figures
}

let written = 0
function bodyOf(fields: (n: number) => object): object {
  const n = ++written
  return {
    name: `Written by the bench ${process.pid}-${n}`,
    mechanism: 'Moves the total above the fold so that people scroll less',
    notes: `Ticket NEW-${n}`,
    hypothesis: 'We believe that this raises conversion by 5% among people who leave at the last step',
    variants: [
      { displayName: 'Control', trafficSplit: 50 },
      { displayName: 'Treatment', trafficSplit: 50 },
    ],
    conversionTargets: [{ eventName: 'order_paid', windowHours: 72 }],
    ...fields(n),
  }
}

/** Milliseconds of each request, after one warm-up. */
async function timeRequests(lane: Lane, key: string, path: string, rounds: number): Promise<number[]> {
  const request = requestText('GET', path, key)
  expectStatus(await lane.exchange(request), 200, path)
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const started = performance.now()
    const answer = await lane.exchange(request)
    times.push(performance.now() - started)
    expectStatus(answer, 200, path)
  }
  return times
}

/** CPU milliseconds per request; of every group one more was not timed. */
function perRequest(
  bench: Bench,
  before: { api: number; postgres: number },
  timed: number,
  rounds: number,
): number {
  const { api, postgres } = cpuSince(bench, before)
  return ((api + postgres) * 1_000) / ((timed * (rounds + 1)) / rounds)
}

function timeFigures(name: string, times: readonly number[], cpuMs: number, mostMs: number): Figure[] {
  return [
    { name: `${name}, p50`, value: percentile(times, 0.5), unit: 'ms' },
    targetFigure(`${name}, p99`, percentile(times, 0.99), 'ms', mostMs, false),
    { name: `${name}, CPU`, value: cpuMs, unit: 'ms CPU' },
  ]
}

function targetFigure(name: string, value: number, unit: string, bound: number, atLeast: boolean): Figure {
  const reached = atLeast ? value >= bound : value < bound
  return {
    name,
    value,
    unit,
    ratioTo: `${bound} asked${reached ? '' : ', NOT REACHED'}`,
    ratio: value / bound,
  }
}
