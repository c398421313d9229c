import fc from 'fast-check'
import t from 'tap'
import { STATUSES, type Status } from '../../../domain/lifecycle.js'
import { searchCondition } from '../../../management/search.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import { cases } from '../../../test/support/cases.js'
import { withApi } from '../support/api.js'
import { type ExperimentView, type PageView, putExperiment } from '../support/experiments.js'

const api = await withApi(t)
const { client, sql } = api
const workspace = await api.workspace()
const key = workspace.readOnlyKey

interface Known {
  id: string
  key: string
  name: string
  mechanism: string
  notes: string
  hypothesis: string
  status: Status
  priority: string
  origin: string
  kind: string
  testType: string
  experimentRunId: string | null
  hasPr: boolean
  rejectedStage: string | null
  createdAt: number
  updatedAt: number
  startedAt: number | null
  usersExposed: number | null
  estimatedLift: number | null
  confidence: number | null
}

const NIGHT = Date.UTC(2026, 0, 1)
const runs = [newId(), newId()]
for (const id of runs)
  await sql`
    insert into generation_runs (id, workspace_id, status, requested, created_at)
    values (${id}, ${workspace.id}, 'succeeded', 5, now())`

/** Few values, so that every sort has ties and every nullable column has nulls. */
const pick = <Value>(values: readonly Value[], i: number, step: number): Value =>
  values[Math.floor(i / step) % values.length] as Value

const OFF = '50% off_now \\ "it\'s"'
const NAMES = ['beta', 'Alpha', 'alpha', OFF, 'Größe', 'Zebra', 'ärger', 'BETA max']

const known: Known[] = []
for (let i = 0; i < 130; i++) {
  const status = pick(STATUSES, i, 1)
  const row: Known = {
    id: '',
    key: `key-${i}`,
    name: pick(NAMES, i, 3),
    mechanism: pick(['', 'needle in mechanism'], i, 7),
    notes: pick(['', '', 'NEEDLE in notes'], i, 5),
    hypothesis: pick(['', 'a_b', 'axb'], i, 2),
    status,
    priority: pick(['low', 'high', 'medium'], i, 1),
    origin: pick(['generated', 'api'], i, 2),
    kind: pick(['experiment', 'feature'], i, 3),
    testType: pick(['dom', 'message'], i, 5),
    experimentRunId: pick([null, runs[0] ?? null, runs[1] ?? null], i, 4),
    hasPr: pick([false, true], i, 6),
    rejectedStage: status === 'rejected' ? pick(['pr', 'outcome'], i, 14) : null,
    createdAt: NIGHT + Math.floor(i / 4) * 1_000,
    updatedAt: NIGHT + (i % 10) * 1_000,
    startedAt: i % 3 === 0 ? NIGHT + (i % 7) * 1_000 : null,
    usersExposed: i % 4 === 0 ? i % 5 : null,
    estimatedLift: i % 5 === 0 && i % 8 !== 7 ? ((i % 7) - 3) / 10 : null,
    confidence: i % 2 === 0 ? (i % 11) / 11 : null,
  }
  row.id = await putExperiment(api, workspace, status, {
    key: row.key,
    name: row.name,
    mechanism: row.mechanism,
    notes: row.notes,
    hypothesis: row.hypothesis,
    priority: row.priority as 'low',
    origin: row.origin as 'api',
    kind: row.kind as 'feature',
    testType: row.testType as 'dom',
    experimentRunId: row.experimentRunId,
    at: new Date(row.createdAt),
  })
  const pr = { number: 1, url: null, branch: 'b', state: 'open', error: null }
  await sql`
    update experiments set updated_at = ${new Date(row.updatedAt)}, rejected_stage = ${row.rejectedStage},
      started_at = ${row.startedAt === null ? null : new Date(row.startedAt)},
      pull_request = ${row.hasPr ? sql.json(pr) : null}
    where id = ${row.id}`
  // Some were never measured, some lack figures.
  if (i % 8 !== 7)
    await sql`
      insert into experiment_measurements (experiment_id, workspace_id, users_exposed, estimated_lift, confidence, measured_at)
      values (${row.id}, ${workspace.id}, ${row.usersExposed}, ${row.estimatedLift}, ${row.confidence}, now())`
  known.push(row)
}
const other = await api.workspace('Other')
await putExperiment(api, other, 'proposed', { name: 'beta' })

const fetchPage = async (query: Record<string, string | number>) => {
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return (await client.request<PageView<ExperimentView>>('GET', `/experiments?${text}`, { key })).body
}

/** As Unicode's collation has them; `alpha` is equal to `Alpha`. */
const NAME_ORDER = [OFF, 'Alpha', 'ärger', 'beta', 'BETA max', 'Größe', 'Zebra']
const RANKS: Record<string, number> = { low: 1, medium: 2, high: 3 }
const SORTS: Record<string, (row: Known) => number | string | null> = {
  createdAt: (row) => row.createdAt,
  updatedAt: (row) => row.updatedAt,
  startedAt: (row) => row.startedAt,
  usersExposed: (row) => row.usersExposed,
  name: (row) => NAME_ORDER.indexOf(row.name === 'alpha' ? 'Alpha' : row.name),
  estimatedLift: (row) => row.estimatedLift,
  confidence: (row) => row.confidence,
  priority: (row) => RANKS[row.priority] ?? 0,
}

/** The expected order, computed independently. */
function inOrder(rows: readonly Known[], sortBy: string, sortDir: string): string[] {
  const value = SORTS[sortBy] ?? (() => null)
  const sign = sortDir === 'asc' ? 1 : -1
  const compare = (a: number | string, b: number | string) => (a < b ? -1 : a > b ? 1 : 0)
  return [...rows]
    .sort((a, b) => {
      const [left, right] = [value(a), value(b)]
      if (left === null || right === null) {
        if (left !== right) return left === null ? 1 : -1
        return sign * compare(a.id, b.id)
      }
      return sign * (compare(left, right) || compare(a.id, b.id))
    })
    .map((row) => row.id)
}

t.test('every sort order works in both directions, page by page', async (t) => {
  for (const sortBy of Object.keys(SORTS))
    for (const sortDir of ['asc', 'desc']) {
      const ids: string[] = []
      for (let offset = 0; offset < 150; offset += 37) {
        const { data, pagination } = await fetchPage({ sortBy, sortDir, limit: 37, offset })
        ids.push(...data.map((row) => row.id))
        t.strictSame(pagination, { limit: 37, offset, total: 130, hasMore: offset + 37 < 130 })
      }
      t.strictSame(ids, inOrder(known, sortBy, sortDir), `${sortBy} ${sortDir}`)
    }
  const usual = await fetchPage({})
  t.strictSame(
    usual.data.map((row) => row.id),
    inOrder(known, 'createdAt', 'desc').slice(0, 50),
  )
  t.strictSame(usual.pagination, { limit: 50, offset: 0, total: 130, hasMore: true })
})

const text = (row: Known) => [row.name, row.key, row.mechanism, row.notes, row.hypothesis]
const includes = (term: string) => (row: Known) =>
  text(row).some((field) => field.toLowerCase().includes(term.toLowerCase()))

/** Filters, each with the rule it implements. */
const FILTERS: readonly [Record<string, string>, (row: Known) => boolean][] = [
  [{ status: 'running' }, (row) => row.status === 'running'],
  [{ status: 'proposed,rejected' }, (row) => ['proposed', 'rejected'].includes(row.status)],
  [{ status: STATUSES.join(',') }, () => true],
  ...STATUSES.map((status): [Record<string, string>, (row: Known) => boolean] => [
    { status },
    (row) => row.status === status,
  ]),
  [{ priority: 'low' }, (row) => row.priority === 'low'],
  [{ priority: 'high,medium,high' }, (row) => row.priority !== 'low'],
  [{ origin: 'api' }, (row) => row.origin === 'api'],
  [{ origin: 'api,generated' }, () => true],
  [{ experimentRunId: runs[1] ?? '' }, (row) => row.experimentRunId === runs[1]],
  [{ experimentRunId: newId() }, () => false],
  [{ rejectedStage: 'pr' }, (row) => row.rejectedStage === 'pr'],
  [{ rejectedStage: 'outcome' }, (row) => row.rejectedStage === 'outcome'],
  [{ hasPr: 'true' }, (row) => row.hasPr],
  [{ hasPr: 'false' }, (row) => !row.hasPr],
  [{ createdAfter: new Date(NIGHT + 10_000).toISOString() }, (row) => row.createdAt >= NIGHT + 10_000],
  [{ createdBefore: new Date(NIGHT + 10_000).toISOString() }, (row) => row.createdAt < NIGHT + 10_000],
  [{ createdAfter: '2026-01-01T02:00:12+02:00' }, (row) => row.createdAt >= NIGHT + 12_000],
  [{ kind: 'feature' }, (row) => row.kind === 'feature'],
  [{ testType: 'message' }, (row) => row.testType === 'message'],
  [{ search: 'NEEDLE' }, includes('needle')],
  [{ search: 'key-12' }, includes('key-12')],
  [{ search: '%' }, includes('%')],
  [{ search: '_' }, includes('_')],
  [{ search: 'a_b' }, includes('a_b')],
  [{ search: '\\' }, includes('\\')],
  [{ search: `\\ "IT'S"` }, includes(`\\ "it's"`)],
  [{ search: 'GRÖSSE' }, (row) => row.name === 'Größe'],
  [{ search: "'; drop table experiments; --" }, () => false],
  [{ search: 'x'.repeat(200) }, () => false],
  [{ search: '%%%' }, () => false],
]

t.test('every filter selects the right experiments', async (t) => {
  for (const [query, rule] of FILTERS) {
    const page = await fetchPage({ ...query, limit: 200 })
    const expected = inOrder(known.filter(rule), 'createdAt', 'desc')
    t.strictSame(
      page.data.map((row) => row.id),
      expected,
      JSON.stringify(query),
    )
    t.equal(page.pagination.total, expected.length)
  }
})

t.test('filters, sort orders and pages work together', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.subarray([...FILTERS], { minLength: 0, maxLength: 3 }),
      fc.constantFrom(...Object.keys(SORTS)),
      fc.constantFrom('asc', 'desc'),
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 0, max: 60 }),
      async (filters, sortBy, sortDir, limit, offset) => {
        const byName = new Map(filters.map(([query, rule]) => [Object.keys(query)[0], { query, rule }]))
        const chosen = [...byName.values()]
        const query = Object.assign({ sortBy, sortDir, limit, offset }, ...chosen.map((one) => one.query))
        const page = await fetchPage(query)
        const matching = known.filter((row) => chosen.every((one) => one.rule(row)))
        const expected = inOrder(matching, sortBy, sortDir).slice(offset, offset + limit)
        return (
          page.pagination.total === matching.length &&
          page.data.map((row) => row.id).join() === expected.join()
        )
      },
    ),
    { numRuns: cases(60) },
  )
})

t.test('a page past the end is empty, and parameters beyond their bounds are refused', async (t) => {
  for (const offset of ['130', '9007199254740991']) {
    const page = await fetchPage({ offset })
    t.strictSame(page.data, [])
    t.strictSame(page.pagination, { limit: 50, offset: Number(offset), total: 130, hasMore: false })
  }
  t.equal((await fetchPage({ limit: 1 })).data.length, 1)
  const long = 'x'.repeat(201)
  const refused: [string, string[]][] = [
    ['limit=0', ['query.limit']],
    ['limit=201', ['query.limit']],
    ['limit=1.5', ['query.limit']],
    ['limit=', ['query.limit']],
    ['offset=-1', ['query.offset']],
    ['offset=9007199254740992', ['query.offset']],
    ['status=', ['query.status']],
    ['status=running,', ['query.status']],
    ['status=Running', ['query.status']],
    ['status=running, paused', ['query.status']],
    ['priority=urgent&origin=me&status=x', ['query.priority', 'query.origin', 'query.status']],
    ['experimentRunId=5', ['query.experimentRunId']],
    ['search=', ['query.search']],
    [`search=${long}`, ['query.search']],
    ['search=%00', ['query.search']],
    ['search=%ED%A0%80', ['query.search']],
    ['rejectedStage=both', ['query.rejectedStage']],
    ['hasPr=1', ['query.hasPr']],
    ['createdAfter=2026-01-01', ['query.createdAfter']],
    ['createdBefore=2026-02-30T00:00:00Z', ['query.createdBefore']],
    ['kind=x', ['query.kind']],
    ['testType=x', ['query.testType']],
    ['sortBy=key', ['query.sortBy']],
    ['sortDir=up', ['query.sortDir']],
    ['page=2', ['query.page']],
    ['status=running&status=paused', ['query.status']],
  ]
  for (const [query, paths] of refused) {
    const answer = await client.refused('GET', `/experiments?${query.replaceAll(' ', '%20')}`, { key })
    t.equal(answer.body.code, 'VALIDATION_FAILED', query)
    t.strictSame(
      [...new Set(answer.body.details.map((detail) => detail.path))].sort(),
      [...paths].sort(),
      query,
    )
  }
})

t.test('the orders and the search are found in indexes', async (t) => {
  await sql`vacuum analyze experiment_lines, experiment_figures`
  await sql.begin(async (tx) => {
    await tx`set local enable_seqscan = off`
    await tx`set local enable_sort = off`
    for (const order of ['created_at', 'updated_at', 'name', 'priority_rank', 'started_at'])
      for (const direction of ['asc', 'desc']) {
        const nulls = order === 'started_at' ? 'nulls last' : ''
        const plan = await tx.unsafe<{ 'QUERY PLAN': string }[]>(
          `explain select id from experiment_lines where workspace_id = '${workspace.id}' and facets = any('{7,17,33}')
           order by ${order} ${direction} ${nulls}, id ${direction} limit 50 offset 100`,
        )
        const lines = plan.map((line) => line['QUERY PLAN']).join('\n')
        t.match(lines, /Index Only Scan/, `${order} ${direction}`)
        t.notMatch(lines, /Sort/, `${order} ${direction}`)
      }
    for (const figure of ['users_exposed', 'estimated_lift', 'confidence'])
      for (const [condition, order] of [
        [`${figure} is not null`, `${figure}, id`],
        [`${figure} is not null`, `${figure} desc, id desc`],
        [`${figure} is null`, 'id'],
      ]) {
        const plan = await tx.unsafe<{ 'QUERY PLAN': string }[]>(
          `explain select id from experiment_figures where workspace_id = '${workspace.id}' and facets = any('{7,17,33}')
           and created_at >= now() and ${condition} order by ${order} limit 50 offset 100`,
        )
        const lines = plan.map((line) => line['QUERY PLAN']).join('\n')
        t.match(lines, /Index Only Scan/, `${condition} order by ${order}`)
        t.notMatch(lines, /Sort/, `${condition} order by ${order}`)
      }
  })
  await sql`
    insert into experiments (id, workspace_id, key, name, mechanism, notes, hypothesis, search_text, kind, test_type, status, priority,
      origin, variants, conversion_targets, surfaces, changes, created_at, updated_at)
    select gen_random_uuid(), ${other.id}, 'bulk-' || n, md5(n::text), '', '', '', md5(n::text), 'experiment', 'dom', 'approved', 'low',
      'api', '[]', '[]', '[]', '[]', now(), now()
    from generate_series(1, 3000) as n`
  await sql`vacuum analyze experiments`
  await sql`vacuum analyze experiment_lines`
  const plan = await sql<{ 'QUERY PLAN': string }[]>`
    explain select count(*) from experiment_lines e
    where e.workspace_id = ${other.id} and ${searchCondition(sql, 'e.search_text', 'C4ca4')}`
  t.match(plan.map((line) => line['QUERY PLAN']).join('\n'), /_search_text_idx/)
})

t.test('a search returns the total on a page past the end, too', async (t) => {
  for (const [search, total] of [
    ['key-', 130],
    ['needle', known.filter(includes('needle')).length],
    ['nowhere', 0],
  ] as const) {
    const page = await fetchPage({ search, offset: 1_000, sortBy: 'confidence' })
    t.strictSame(page.data, [])
    t.strictSame(page.pagination, { limit: 50, offset: 1_000, total, hasMore: false })
  }
})

t.test('pages far back are right, also past the last row that a filter selects', async (t) => {
  // For the workspace with three thousand approved experiments and one proposal.
  const createdAfter = '2020-01-01T00:00:00Z'
  for (const [query, rows, total] of [
    [{}, 51, 3_001],
    [{ status: 'approved' }, 50, 3_000],
    [{ status: 'proposed' }, 0, 1],
    [{ createdAfter }, 51, 3_001],
    [{ createdAfter, status: 'approved' }, 50, 3_000],
    [{ createdAfter, status: 'proposed' }, 0, 1],
    [{ createdAfter, status: 'shipped' }, 0, 0],
  ] as const) {
    for (const sortBy of ['name', 'confidence']) {
      const text = new URLSearchParams({ ...query, sortBy, limit: '200', offset: '2950' })
      const { body } = await client.request<PageView<ExperimentView>>('GET', `/experiments?${text}`, {
        key: other.readOnlyKey,
      })
      t.equal(body.data.length, rows, `${text}`)
      t.equal(body.pagination.total, total, `${text}`)
    }
  }
})

t.test('pages far back by a figure go on with the experiments that lack it', async (t) => {
  await sql`
    insert into experiment_measurements (experiment_id, workspace_id, confidence, measured_at)
    select id, workspace_id, (place % 700) / 700.0, now()
    from (select *, row_number() over (order by key) as place from experiments where workspace_id = ${other.id}) as e where place <= 2000`
  for (const [direction, ids] of [
    ['asc', sql`array_agg(e.id order by m.confidence asc nulls last, e.id)`],
    ['desc', sql`array_agg(e.id order by m.confidence desc nulls last, e.id desc)`],
  ] as const) {
    const [all] = await sql<{ ids: string[] }[]>`
      select ${ids} as ids from experiments e left join experiment_measurements m on m.experiment_id = e.id
      where e.workspace_id = ${other.id}`
    for (const offset of [990, 1_500, 1_900, 2_000, 2_500, 2_950]) {
      const path = `/experiments?sortBy=confidence&sortDir=${direction}&limit=200&offset=${offset}`
      const { body } = await client.request<PageView<ExperimentView>>('GET', path, { key: other.readOnlyKey })
      t.strictSame(
        body.data.map(({ id }) => id),
        all?.ids.slice(offset, offset + 200),
        path,
      )
    }
  }
})

t.test('rows of the list match the experiments after any write', async (t) => {
  const [columns] = await sql<{ names: string[] }[]>`
    select array_agg(attname::text order by attnum) as names from pg_attribute
    where attrelid = 'experiment_lines'::regclass and attnum > 0 and not attisdropped and attname <> all(array['facets', 'name', 'users_exposed', 'estimated_lift', 'confidence'])`
  const names = sql(columns?.names ?? [])
  const made = sql`
    select ${names}, fold_name(name) collate "C", experiment_facets(status, priority_rank, origin, kind, test_type, rejected_stage, has_pr) from experiments`
  const kept = sql`select ${names}, name collate "C", facets from experiment_lines`
  const differences = async () => {
    const rows = await sql<{ rows: number }[]>`
      select count(*)::int as rows from ((${made} except ${kept}) union all (${kept} except ${made})) as d`
    return rows[0]?.rows
  }
  t.equal(await differences(), 0)
  const some = known[5]?.id ?? ''
  await sql`
    update experiments set name = 'Renamed', search_text = 'renamed', status = 'dismissed', priority = 'low', rejected_stage = null,
      pull_request = '{"number": 7}', updated_at = now(), started_at = now()
    where id = ${some}`
  t.equal(await differences(), 0)
  await sql`delete from experiments where id = ${some}`
  t.equal(await differences(), 0)
  const gone = await sql`select 1 from experiment_lines where id = ${some}`
  t.equal(gone.length, 0)
})
