import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { insertProposal } from '../../../management/proposals/proposals.js'
import { connectPostgres, type Sql } from '../../../postgres/driver/client.js'
import { startEmbeddedPostgres } from '../../../postgres/embedded/start.js'
import { migratePostgres } from '../../../postgres/migrate.js'
import { connectRepository } from '../../../postgres/tables/repositories.js'
import { createKey, createWorkspace, newId } from '../../../postgres/tables/workspaces.js'
import { cpuOfTree } from '../../support/cost/process-tree.js'
import { makeSiteRepository, type SiteRepository } from '../../support/data/site-repository.js'
import { type Figure, percentile } from '../../support/figures.js'
import { type Flooding, flood } from '../../support/load/flood.js'
import { openLane, requestText } from '../../support/load/lanes.js'
import { startManagementServer } from '../../support/programs/start-management-server.js'

/** Files in the repository, and the target for approval. */
const SIZES = [
  { files: 5_000, mostMs: 1_000 },
  { files: 50_000, mostMs: 2_000 },
] as const
const WARM_UP_APPROVALS = 5

/**
 * Approves proposals of one page each, one after the other on local git, from request to response with the
 * open pull request; and the cost of `GET …/status` with and without one.
 */
export async function pullRequestsCase(
  folder: string,
  approvals: number,
  seconds: number,
): Promise<Figure[]> {
  mkdirSync(folder, { recursive: true })
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') })
  const sql = connectPostgres({ url: postgres.url, applicationName: 'svc bench', maxConnections: 2 })
  const secretKey = randomBytes(32)
  try {
    await migratePostgres(sql)
    const server = await startManagementServer({
      postgresUrl: postgres.url,
      folder,
      secretKey: secretKey.toString('base64'),
    })
    const cpu = () => ({ api: cpuOfTree(server.pid), postgres: cpuOfTree(postgres.pid) })
    try {
      const figures: Figure[] = []
      for (const { files, mostMs } of SIZES) {
        const site = makeSiteRepository(join(folder, `site-${files}`), files, approvals + WARM_UP_APPROVALS)
        const workspace = await makeWorkspace(sql, secretKey, site)
        const ids = await insertProposals(sql, workspace, site, approvals + WARM_UP_APPROVALS)
        const bench = { url: server.url, key: workspace.key, cpu }
        figures.push(...(await measureApprovals(bench, ids, files, mostMs)))
        if (files === SIZES[0].files)
          figures.push(
            ...(await measureStatuses(
              bench,
              ids,
              await insertProposals(sql, workspace, site, ids.length),
              seconds,
            )),
          )
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

interface Workspace {
  readonly id: string
  readonly key: string
}

async function makeWorkspace(sql: Sql, secretKey: Uint8Array, site: SiteRepository): Promise<Workspace> {
  const now = new Date()
  const { id, personId } = await createWorkspace(sql, {
    id: newId(),
    name: site.path,
    personId: newId(),
    ownerName: 'Ada',
    ownerEmail: 'ada@example.com',
    now,
  })
  const { key } = await createKey(sql, secretKey, {
    id: newId(),
    workspaceId: id,
    personId,
    type: 'api',
    name: 'Bench',
    scopes: ['proposals.review'],
    now,
  })
  await connectRepository(
    sql,
    secretKey,
    { id: newId(), workspaceId: id, now },
    {
      kind: 'local',
      location: site.path,
      baseUrl: null,
      branch: 'main',
      allow: [],
      helper: 'pages/svc-experiments.js',
      exposures: '/_svc/exposures',
      token: undefined,
      webhookSecret: undefined,
    },
  )
  return { id, key }
}

/** Proposals as a generator stores them, each with its own page. */
async function insertProposals(
  sql: Sql,
  { id: workspaceId }: Workspace,
  site: SiteRepository,
  count: number,
): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const { path, text, blob } = site.pageOf(n)
    const find = /Welcome to \d+/.exec(text)?.[0] ?? ''
    const row = await sql.begin((tx) =>
      insertProposal(tx, { now: Date.now, newId }, workspaceId, {
        name: `Greet on page ${n}`,
        mechanism: 'A greeting that says more',
        notes: '',
        hypothesis: 'People stay',
        priority: 'medium',
        experimentRunId: null,
        variants: [
          { key: 'control', displayName: 'Control', trafficSplit: 50 },
          { key: 'b', displayName: 'B', trafficSplit: 50 },
        ],
        conversionTargets: [
          { eventName: 'order_paid', name: 'Paid', direction: 'increase', windowHours: null, filters: [] },
        ],
        surfaces: [{ path, anchor: null }],
        changes: [{ path, action: 'modify', edits: [{ find, replace: `Hello from ${n}`, variant: 'b' }] }],
        snapshot: { commit: site.head, files: [{ path, blob }] },
        idea: { ruleId: 'bench', topics: [], alternatives: [], eventToSend: null, score: 1, reasons: [] },
      }),
    )
    ids.push(row.id)
  }
  return ids
}

async function measureApprovals(
  bench: Flooding,
  ids: readonly string[],
  files: number,
  mostMs: number,
): Promise<Figure[]> {
  const lane = await openLane(bench.url)
  const times: number[] = []
  let before = bench.cpu()
  for (const [n, id] of ids.entries()) {
    if (n === WARM_UP_APPROVALS) before = bench.cpu()
    const started = performance.now()
    const { text } = await lane.exchange(requestText('POST', `/experiments/${id}/approve`, bench.key, {}))
    if (n >= WARM_UP_APPROVALS) times.push(performance.now() - started)
    if (!text.includes('"status":"pr_open"')) throw new Error(text.slice(0, 2_000))
    // People pause between approvals.
    await sleep(50)
  }
  lane.close()
  const spent = bench.cpu()
  const p99 = percentile(times, 0.99)
  return [
    { name: `approve to open, ${files} files, p50`, value: percentile(times, 0.5), unit: 'ms' },
    {
      name: `approve to open, ${files} files, p99`,
      value: p99,
      unit: 'ms',
      ratioTo: `${mostMs} asked${p99 < mostMs ? '' : ', NOT REACHED'}`,
      ratio: p99 / mostMs,
    },
    {
      name: `approve to open, ${files} files, CPU of the API and git`,
      value: ((spent.api - before.api) * 1_000) / times.length,
      unit: 'ms CPU',
    },
  ]
}

/** In turns, so that other work on the machine affects both. */
async function measureStatuses(
  bench: Flooding,
  withOne: readonly string[],
  withoutOne: readonly string[],
  seconds: number,
): Promise<Figure[]> {
  const rounds = 4
  const costs = { with: [] as number[], without: [] as number[] }
  for (let round = 0; round < rounds; round++)
    for (const [name, ids] of [
      ['with', withOne],
      ['without', withoutOne],
    ] as const) {
      let n = 0
      const next = () => requestText('GET', `/experiments/${ids[n++ % ids.length] ?? ''}/status`, bench.key)
      const { times, cpu } = await flood(bench, 16, seconds / rounds, next, 200)
      costs[name].push((cpu.api * 1e6) / times.length)
    }
  const cost = Math.min(...costs.with)
  const plain = Math.min(...costs.without)
  return [
    { name: 'status without a pull request', value: plain, unit: 'µs CPU' },
    { name: 'status with one', value: cost, unit: 'µs CPU', ratioTo: 'without', ratio: cost / plain },
  ]
}
