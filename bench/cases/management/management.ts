import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { connectPostgres, type Sql } from '../../../postgres/driver/client.js'
import { createKey } from '../../../postgres/tables/keys.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import { cpuOfTree } from '../../support/cost/process-tree.js'
import {
  LARGE_OWNER,
  LARGE_WORKSPACE,
  MANAGEMENT_DATA_TIMES,
  openManagementData,
} from '../../support/data/management-data.js'
import type { Figure } from '../../support/figures.js'
import { type HttpConnection, openHttpConnection, requestText } from '../../support/load/http-connection.js'
import { percentile } from '../../support/percentile.js'
import { startManagementServer } from '../../support/programs/management-server.js'

/** Targets. */
const MAX_LIST_MS = 20
const MAX_SEARCH_MS = 50
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
 * fifty thousand. Clock times cover request to end of response on one connection.
 */
export async function managementCase(folder: string, kept: string, rows: number): Promise<Figure[]> {
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
    const connection = await openHttpConnection(server.url)
    const cpu = () => cpuOfTree(server.pid) + cpuOfTree(postgres.pid)
    try {
      return await measureAll({ connection, key, cpu }, await largestRun(sql), rows < 1_000_000)
    } finally {
      connection.close()
      await server.stop()
    }
  } finally {
    await sql.end({ timeout: 1 })
    await postgres.stop()
  }
}

async function largestRun(sql: Sql): Promise<string> {
  const [run] = await sql<{ id: string }[]>`
    select experiment_run_id as id from experiments where workspace_id = ${LARGE_WORKSPACE} and experiment_run_id is not null
    group by 1 order by count(*) desc, 1 limit 1`
  return run?.id ?? newId()
}

interface Bench {
  readonly connection: HttpConnection
  readonly key: string
  /** CPU seconds of API and Postgres so far. */
  cpu(): number
}

/** Every filter with every sort in both directions, pages 2 and 500; searches; counts. */
async function measureAll(bench: Bench, runId: string, quick: boolean): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [name, filter] of Object.entries(filtersOf(runId)))
    for (const page of PAGES) {
      const paths = SORTS.flatMap((sortBy) =>
        DIRECTIONS.map((sortDir) => {
          const query = `limit=${PAGE}&offset=${(page - 1) * PAGE}&sortBy=${sortBy}&sortDir=${sortDir}&${filter}`
          return `/experiments?${query.replace(/&$/, '')}`
        }),
      )
      figures.push(...(await measure(bench, `page ${page}, ${name}`, paths, quick ? 2 : 6, MAX_LIST_MS)))
    }
  for (const [name, query] of Object.entries(SEARCHES)) {
    const path = `/experiments?limit=${PAGE}&${query}`
    figures.push(...(await measure(bench, `search: ${name}`, [path], quick ? 10 : 40, MAX_SEARCH_MS)))
  }
  return [...figures, ...(await measure(bench, 'counts by status', ['/experiments/counts'], 40, MAX_LIST_MS))]
}

/** Times and CPU of requests, each path so many times after one warm-up. */
async function measure(
  { connection, key, cpu }: Bench,
  name: string,
  paths: readonly string[],
  rounds: number,
  mostMs: number,
): Promise<Figure[]> {
  const times: number[] = []
  const before = cpu()
  for (const path of paths)
    for (let round = 0; round <= rounds; round++) {
      const started = performance.now()
      const { status, text } = await connection.exchange(requestText('GET', path, key))
      if (status !== 200) throw new Error(`${path}: ${text.slice(0, 2_000)}`)
      if (round > 0) times.push(performance.now() - started)
    }
  const cpuMs = ((cpu() - before) * 1_000) / (paths.length * (rounds + 1))
  const p99 = percentile(times, 0.99)
  return [
    { name: `${name}, p50`, value: percentile(times, 0.5), unit: 'ms' },
    {
      name: `${name}, p99`,
      value: p99,
      unit: 'ms',
      ratioTo: `${mostMs} asked${p99 < mostMs ? '' : ', NOT REACHED'}`,
      ratio: p99 / mostMs,
    },
    { name: `${name}, CPU`, value: cpuMs, unit: 'ms CPU' },
  ]
}
