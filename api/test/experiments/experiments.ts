import t from 'tap'
import { STATUSES } from '../../../domain/lifecycle.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import { withApi } from '../support/api.js'
import { type ExperimentView, experimentBody, halves, paid, putExperiment } from '../support/experiments.js'

const api = await withApi(t)
const { client } = api
const workspace = await api.workspace()
const key = workspace.key

const create = (fields: Record<string, unknown> = {}, options = {}) =>
  client.request<ExperimentView>('POST', '/experiments', { key, body: experimentBody(fields), ...options })

t.test('an experiment is declared with its defaults and read back by id and by key', async (t) => {
  const made = await create({ name: 'First of all' })
  t.equal(made.status, 201)
  t.equal(made.headers.location, `/v1/experiments/${made.body.id}`)
  t.strictSame(made.body, {
    ...made.body,
    key: 'first-of-all',
    name: 'First of all',
    mechanism: '',
    notes: '',
    hypothesis: '',
    kind: 'experiment',
    testType: 'dom',
    status: 'approved',
    priority: 'medium',
    origin: 'api',
    experimentRunId: null,
    variants: [
      { key: 'control', displayName: 'Control', trafficSplit: 50, isControl: true },
      { key: 'treatment', displayName: 'Treatment', trafficSplit: 50, isControl: false },
    ],
    conversionTargets: [
      { eventName: 'order_paid', name: 'order_paid', direction: 'increase', windowHours: null, filters: [] },
    ],
    surfaces: [],
    pullRequest: null,
    cleanupPullRequest: null,
    dismissal: null,
    rejectedStage: null,
    decision: null,
    measurements: null,
    startedAt: null,
    endedAt: null,
  })
  t.equal(made.body.createdAt, made.body.updatedAt)
  for (const path of [made.body.id, made.body.id.toUpperCase(), 'first-of-all']) {
    const read = await client.request<ExperimentView>('GET', `/experiments/${path}`, { key })
    const { results, ...rest } = read.body as ExperimentView & { results: unknown }
    t.match(results, { state: 'no_data', exposed: 0, srm: { pValue: 1, ok: true } })
    t.strictSame(rest, {
      ...made.body,
      readiness: {
        canStart: false,
        checks: [
          { code: 'status', ok: true, message: 'The experiment can be started' },
          { code: 'event_history', ok: false, message: 'The event order_paid was never received' },
        ],
      },
      serving: { state: false, lastAskedAt: null },
    })
    const again = await client.request('GET', `/experiments/${path}`, {
      key,
      headers: { 'If-None-Match': String(read.headers.etag) },
    })
    t.equal(again.status, 304)
    const status = await client.request('GET', `/experiments/${path}/status`, { key })
    t.strictSame(status.body, {
      id: made.body.id,
      key: 'first-of-all',
      status: 'approved',
      settled: false,
      rejectedStage: null,
      pullRequest: null,
      updatedAt: made.body.updatedAt,
    })
    t.equal((await client.request('GET', `/experiments/${path}/refine`, { key })).text, 'null')
  }
})

t.test('every declared field is returned', async (t) => {
  const fields = {
    name: 'Whole',
    key: 'whole-1',
    mechanism: 'm',
    notes: 'n',
    hypothesis: 'h',
    kind: 'feature',
    testType: 'message',
    priority: 'low',
    variants: [
      { displayName: 'A!', trafficSplit: 100 },
      { displayName: 'a', trafficSplit: 0 },
      { displayName: 'Ä', trafficSplit: 0 },
      { displayName: '☃', trafficSplit: 0 },
    ],
    conversionTargets: [
      {
        eventName: 'x.$y',
        name: 'X',
        direction: 'decrease',
        windowHours: 0.25,
        filters: [{ property: 'a', operator: 'gte', value: 1 }],
      },
      { eventName: 'y', windowHours: null },
    ],
    surfaces: [{ path: 'a.html', anchor: '#x' }, { path: 'b/c.tsx' }, { path: 'd', anchor: null }],
    changes: [
      { path: 'new.html', action: 'create', content: 'one\ntwo' },
      { path: 'empty.html', action: 'create', content: '' },
      { path: 'old.html', action: 'modify', edits: [{ find: 'a', replace: '' }] },
      { path: 'gone.html', action: 'delete' },
    ],
  }
  const made = await create(fields)
  t.equal(made.status, 201)
  t.match(made.body, {
    key: 'whole-1',
    mechanism: 'm',
    notes: 'n',
    hypothesis: 'h',
    kind: 'feature',
    testType: 'message',
    priority: 'low',
    variants: [{ key: 'a' }, { key: 'a-2' }, { key: 'a-3' }, { key: 'variant' }],
    conversionTargets: [
      fields.conversionTargets[0],
      { eventName: 'y', name: 'y', direction: 'increase', windowHours: null, filters: [] },
    ],
    surfaces: [
      { path: 'a.html', anchor: '#x' },
      { path: 'b/c.tsx', anchor: null },
      { path: 'd', anchor: null },
    ],
  })
  const read = await client.request<{ plan: unknown }>('GET', '/experiments/whole-1', { key })
  const unknown = { diff: null, state: null, movedTo: null }
  t.strictSame(read.body.plan, {
    commit: null,
    files: [
      {
        path: 'new.html',
        action: 'create',
        summary: 'Adds 2 lines',
        ...unknown,
      },
      {
        path: 'empty.html',
        action: 'create',
        summary: 'Adds 0 lines',
        ...unknown,
      },
      { path: 'old.html', action: 'modify', summary: 'Makes 1 edit', ...unknown },
      { path: 'gone.html', action: 'delete', summary: 'Deletes the file', ...unknown },
      {
        path: '.svc/experiments/whole-1.json',
        action: 'create',
        summary: 'Records what the experiment changed',
        ...unknown,
      },
    ],
  })
})

t.test('keys are made from names, numbered, and refused if taken or reserved', async (t) => {
  const keys = []
  for (const name of ['Same name', 'same NAME!', 'Counts', 'generate', '价格', '价格'])
    keys.push((await create({ name })).body.key)
  t.strictSame(keys, ['same-name', 'same-name-2', 'counts-2', 'generate-2', 'experiment', 'experiment-2'])
  const uuid = newId()
  t.equal((await create({ name: uuid })).body.key, `${uuid}-2`)
  for (let n = 3; n <= 9; n++) t.equal((await create({ name: 'Same name' })).body.key, `same-name-${n}`)
  t.match((await create({ name: 'Same name' })).body.key, /^same-name-[0-9a-f]{12}$/)
  const many = await Promise.all(Array.from({ length: 20 }, () => create({ name: 'At once' })))
  t.equal(new Set(many.map((answer) => answer.body.key)).size, 20)

  const answers = await Promise.all(Array.from({ length: 20 }, () => create({ key: 'mine' })))
  t.equal(answers.filter((answer) => answer.status === 201).length, 1)
  const taken = await client.refused('POST', '/experiments', { key, body: experimentBody({ key: 'mine' }) })
  t.equal(taken.body.code, 'KEY_TAKEN')
  t.strictSame(taken.body.details, [{ path: '/key', message: 'is taken' }])
  const elsewhere = await api.workspace('Elsewhere')
  t.equal((await create({ key: 'mine' }, { key: elsewhere.key })).status, 201)
})

t.test('values are accepted up to every limit and refused beyond it', async (t) => {
  let n = 0
  const variants = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ displayName: `V${i}`, trafficSplit: i === 0 ? 100 : 0 }))
  const target = { eventName: 'e' }
  const change = (i: number) => ({ path: `f${i}.html`, action: 'delete' })
  const accepted: [string, Record<string, unknown>][] = [
    ['name of 200', { name: 'n'.repeat(200) }],
    ['name of 200 beyond the BMP', { name: '😀'.repeat(200) }],
    ['name of 200 once it is trimmed', { name: ` ${'n'.repeat(200)}\n` }],
    ['name of 200 in NFC', { name: 'e\u0301'.repeat(200) }],
    ['quotes and markup', { name: `<b>'";--%_\\ ` }],
    ['mechanism of 1000', { mechanism: 'm'.repeat(1_000) }],
    ['notes of 2000', { notes: 'n'.repeat(2_000) }],
    ['hypothesis of 2000', { hypothesis: 'h'.repeat(2_000) }],
    ['key of 64', { key: 'k'.repeat(64) }],
    ['key of digits', { key: '0-1' }],
    ['8 variants', { variants: variants(8) }],
    [
      'displayName of 100',
      { variants: [{ displayName: 'd'.repeat(100), trafficSplit: 100 }, ...variants(2).slice(1)] },
    ],
    ['3 targets', { conversionTargets: [target, target, target] }],
    ['event name of 500', { conversionTargets: [{ eventName: '$'.repeat(500) }] }],
    ['target name of 200', { conversionTargets: [{ ...target, name: 'n'.repeat(200) }] }],
    [
      'tiny and huge windows',
      {
        conversionTargets: [
          { ...target, windowHours: 5e-324 },
          { ...target, windowHours: 1e15 },
        ],
      },
    ],
    ['50 surfaces', { surfaces: Array.from({ length: 50 }, (_, i) => ({ path: `limit/${i}` })) }],
    ['path of 1000, anchor of 500', { surfaces: [{ path: 'p'.repeat(1_000), anchor: 'a'.repeat(500) }] }],
    ['dots in a path', { surfaces: [{ path: '.github/..x/a..b' }] }],
    ['a page', { surfaces: [{ path: '/a' }, { path: '/checkout/?step=2#pay' }] }],
    ['50 changes', { changes: Array.from({ length: 50 }, (_, i) => change(i)) }],
    [
      '100 edits',
      {
        changes: [
          {
            path: 'f.html',
            action: 'modify',
            edits: Array.from({ length: 100 }, () => ({ find: 'a', replace: '' })),
          },
        ],
      },
    ],
  ]
  for (const [what, fields] of accepted) {
    const answer = await create({ name: `limit ${++n}`, ...fields })
    t.equal(answer.status, 201, what)
    const { name } = fields
    if (typeof name === 'string') t.equal(answer.body.name, name.trim().normalize('NFC'), what)
  }
  const at = '/conversionTargets/0'
  const refused: [string, unknown, string[]][] = [
    ['no object', [], ['']],
    ['nothing', {}, ['/name', '/variants', '/conversionTargets']],
    ['empty name', experimentBody({ name: '' }), ['/name']],
    ['name of spaces', experimentBody({ name: ' \n ' }), ['/name']],
    ['name that cannot be seen', experimentBody({ name: '\u200b\u3164' }), ['/name']],
    ['name with a line end', experimentBody({ name: 'a\nb' }), ['/name']],
    [
      'names that turn the text around',
      experimentBody({
        name: 'a\u202eb',
        variants: [
          { displayName: 'a\u2066', trafficSplit: 50 },
          { displayName: 'b', trafficSplit: 50 },
        ],
        conversionTargets: [{ ...target, name: '\u200fc' }],
      }),
      ['/name', '/variants/0/displayName', `${at}/name`],
    ],
    ['name of 201', experimentBody({ name: 'n'.repeat(201) }), ['/name']],
    ['null name', experimentBody({ name: null }), ['/name']],
    ['mechanism of 1001', experimentBody({ mechanism: 'm'.repeat(1_001) }), ['/mechanism']],
    ['notes of 2001', experimentBody({ notes: 'n'.repeat(2_001) }), ['/notes']],
    ['hypothesis of 2001', experimentBody({ hypothesis: 'h'.repeat(2_001) }), ['/hypothesis']],
    ['key of 65', experimentBody({ key: 'k'.repeat(65) }), ['/key']],
    ['empty key', experimentBody({ key: '' }), ['/key']],
    ['key in capitals', experimentBody({ key: 'Key' }), ['/key']],
    ['key with two dashes', experimentBody({ key: 'a--b' }), ['/key']],
    ['key with a line end', experimentBody({ key: 'a\n' }), ['/key']],
    ['key counts', experimentBody({ key: 'counts' }), ['/key']],
    ['key generate', experimentBody({ key: 'generate' }), ['/key']],
    ['key a uuid', experimentBody({ key: newId() }), ['/key']],
    ['1 variant', experimentBody({ variants: variants(1) }), ['/variants']],
    ['9 variants', experimentBody({ variants: variants(9) }), ['/variants']],
    [
      'splits of 99',
      experimentBody({
        variants: [
          { displayName: 'a', trafficSplit: 50 },
          { displayName: 'b', trafficSplit: 49 },
        ],
      }),
      ['/variants'],
    ],
    [
      'splits of 101',
      experimentBody({
        variants: [
          { displayName: 'a', trafficSplit: 51 },
          { displayName: 'b', trafficSplit: 50 },
        ],
      }),
      ['/variants'],
    ],
    [
      'a control without a split',
      experimentBody({ variants: [...variants(2)].reverse() }),
      ['/variants/0/trafficSplit'],
    ],
    [
      'split below 0',
      experimentBody({
        variants: [
          { displayName: 'a', trafficSplit: -1 },
          { displayName: 'b', trafficSplit: 101 },
        ],
      }),
      ['/variants/0/trafficSplit', '/variants/1/trafficSplit'],
    ],
    [
      'split with a fraction',
      experimentBody({
        variants: [
          { displayName: 'a', trafficSplit: 50.5 },
          { displayName: 'b', trafficSplit: '50' },
        ],
      }),
      ['/variants/0/trafficSplit', '/variants/1/trafficSplit'],
    ],
    [
      'displayName',
      experimentBody({
        variants: [
          { displayName: '', trafficSplit: 50 },
          { displayName: 'd'.repeat(101), trafficSplit: 50 },
        ],
      }),
      ['/variants/0/displayName', '/variants/1/displayName'],
    ],
    ['no targets', experimentBody({ conversionTargets: [] }), ['/conversionTargets']],
    [
      '4 targets',
      experimentBody({ conversionTargets: [target, target, target, target] }),
      ['/conversionTargets'],
    ],
    ['target without event', experimentBody({ conversionTargets: [{}] }), [`${at}/eventName`]],
    [
      'event name of 501',
      experimentBody({ conversionTargets: [{ eventName: 'e'.repeat(501) }] }),
      [`${at}/eventName`],
    ],
    [
      'event name with a space',
      experimentBody({ conversionTargets: [{ eventName: 'a b' }] }),
      [`${at}/eventName`],
    ],
    [
      'window of 0',
      experimentBody({ conversionTargets: [{ ...target, windowHours: 0 }] }),
      [`${at}/windowHours`],
    ],
    [
      'window as text',
      experimentBody({ conversionTargets: [{ ...target, windowHours: '1' }] }),
      [`${at}/windowHours`],
    ],
    [
      'direction',
      experimentBody({ conversionTargets: [{ ...target, direction: 'up' }] }),
      [`${at}/direction`],
    ],
    [
      'filter',
      experimentBody({ conversionTargets: [{ ...target, filters: [{ property: 'a', operator: 'gt' }] }] }),
      [`${at}/filters/0/value`],
    ],
    [
      'words',
      experimentBody({ kind: 'x', testType: 'x', priority: 'x' }),
      ['/kind', '/testType', '/priority'],
    ],
    [
      '51 surfaces',
      experimentBody({ surfaces: Array.from({ length: 51 }, () => ({ path: 'a' })) }),
      ['/surfaces'],
    ],
    ...['', '/a', '../a', 'a/../b', 'a//b', 'a/', 'a/.', '.', '..', 'a\\b', 'a\nb', 'p'.repeat(1_001)].map(
      (path): [string, unknown, string[]] => [
        `path ${path.slice(0, 9)} of a file`,
        experimentBody({ changes: [{ path, action: 'delete' }] }),
        ['/changes/0/path'],
      ],
    ),
    ...['', 'p'.repeat(1_001)].map((path): [string, unknown, string[]] => [
      `path ${path.slice(0, 9)} of a surface`,
      experimentBody({ surfaces: [{ path }] }),
      ['/surfaces/0/path'],
    ]),
    [
      'anchor',
      experimentBody({
        surfaces: [
          { path: 'a', anchor: '' },
          { path: 'a', anchor: 'a'.repeat(501) },
        ],
      }),
      ['/surfaces/0/anchor', '/surfaces/1/anchor'],
    ],
    [
      '51 changes',
      experimentBody({ changes: Array.from({ length: 51 }, (_, i) => change(i)) }),
      ['/changes'],
    ],
    ['a file twice', experimentBody({ changes: [change(1), change(1)] }), ['/changes/1/path']],
    [
      'create without content',
      experimentBody({ changes: [{ path: 'a.html', action: 'create' }] }),
      ['/changes/0/content'],
    ],
    [
      'modify without edits',
      experimentBody({ changes: [{ path: 'a.html', action: 'modify', edits: [] }] }),
      ['/changes/0/edits'],
    ],
    [
      'empty find',
      experimentBody({ changes: [{ path: 'a.html', action: 'modify', edits: [{ find: '', replace: '' }] }] }),
      ['/changes/0/edits/0/find'],
    ],
    [
      'delete with content',
      experimentBody({ changes: [{ path: 'a.html', action: 'delete', content: '' }] }),
      ['/changes/0/content'],
    ],
    [
      'places that only a repository with --allow opens',
      experimentBody({
        changes: ['package.json', 'ok.css', '.github/workflows/ci.yml'].map((path) => ({
          path,
          action: 'delete',
        })),
      }),
      ['/changes/0/path', '/changes/2/path'],
    ],
    [
      'unknown action',
      experimentBody({ changes: [{ path: 'a.html', action: 'rename' }] }),
      ['/changes/0/action'],
    ],
    ['unknown fields', experimentBody({ status: 'running', origin: 'api' }), ['/status', '/origin']],
    ['NUL and a lone surrogate', experimentBody({ name: 'a\u0000', notes: '\ud800' }), ['/name', '/notes']],
  ]
  for (const [what, body, paths] of refused) {
    const answer = await client.refused('POST', '/experiments', { key, body })
    t.equal(answer.body.code, 'VALIDATION_FAILED', what)
    const named = new Set(answer.body.details.map((detail) => detail.path))
    t.strictSame([...named].sort(), [...paths].sort(), what)
  }
})

t.test('unknown experiments are 404', async (t) => {
  for (const path of [newId(), 'no-such-key', 'Not_A_Key', '%25', 'x'.repeat(300)]) {
    for (const below of ['', '/status', '/refine'])
      t.equal(
        (await client.refused('GET', `/experiments/${path}${below}`, { key })).body.code,
        'NOT_FOUND',
        path,
      )
    for (const action of ['start', 'pause', 'resume', 'end', 'ship', 'approve', 'generate-pr'])
      t.equal(
        (await client.refused('POST', `/experiments/${path}/${action}`, { key })).body.code,
        'NOT_FOUND',
      )
  }
  t.equal((await client.refused('GET', '/experiments/%00', { key })).body.details[0]?.path, 'path.id')
  const made = await create({ name: 'Action' })
  t.equal((await client.refused('POST', `/experiments/${made.body.id}/explode`, { key })).status, 404)
  t.equal((await client.refused('GET', `/experiments/${made.body.id}/start`, { key })).status, 405)
  t.equal((await client.refused('DELETE', `/experiments/${made.body.id}`, { key })).status, 405)
})

t.test('counts name every status', async (t) => {
  const fresh = await api.workspace('Counted')
  const none = Object.fromEntries(STATUSES.map((status) => [status, 0]))
  const empty = await client.request('GET', '/experiments/counts', { key: fresh.readOnlyKey })
  t.strictSame(empty.body, { total: 0, byStatus: none })
  for (const status of ['proposed', 'proposed', 'running'] as const) await putExperiment(api, fresh, status)
  const counted = await client.request('GET', '/experiments/counts', { key: fresh.readOnlyKey })
  t.strictSame(counted.body, { total: 3, byStatus: { ...none, proposed: 2, running: 1 } })
})

t.test('each field can be edited in the documented statuses only', async (t) => {
  const proposal = { name: 'New', mechanism: 'm', notes: 'n', hypothesis: 'h', priority: 'high' }
  const measurement = {
    variants: [
      { key: 'treatment', trafficSplit: 10 },
      { key: 'control', trafficSplit: 90 },
    ],
    conversionTargets: [{ eventName: 'other' }],
  }
  for (const status of STATUSES) {
    const id = await putExperiment(api, workspace, status)
    const path = `/experiments/${id}`
    const { body: before } = await client.request<ExperimentView>('GET', path, { key })
    for (const [body, editable] of [
      [proposal, status === 'proposed'],
      [measurement, ['proposed', 'approved', 'pr_failed'].includes(status)],
    ] as const)
      for (const [field, value] of Object.entries(body)) {
        const one = { [field]: value }
        if (editable) {
          const changed = await client.request<ExperimentView>('PATCH', path, { key, body: one })
          t.equal(changed.status, 200, `${field} of ${status}`)
        } else {
          const refused = await client.refused('PATCH', path, { key, body: one })
          t.equal(refused.body.code, 'NOT_EDITABLE', `${field} of ${status}`)
          t.strictSame(
            refused.body.details.map((detail) => detail.path),
            [`/${field}`],
          )
        }
      }
    const put = await client.request<ExperimentView>('PUT', `${path}/conversion-targets`, {
      key,
      body: { conversionTargets: paid },
    })
    t.equal(put.status, ['proposed', 'approved', 'pr_failed'].includes(status) ? 200 : 409)
    const both = await client.request('PATCH', path, { key, body: { ...proposal, ...measurement } })
    t.equal(both.status, status === 'proposed' ? 200 : 409, `all or nothing of ${status}`)
    const { body: after } = await client.request<ExperimentView>('GET', path, { key })
    if (status === 'proposed')
      t.match(after, {
        ...proposal,
        variants: [
          { key: 'control', trafficSplit: 90, isControl: true },
          { key: 'treatment', trafficSplit: 10 },
        ],
        conversionTargets: [{ eventName: 'other', name: 'other' }],
      })
    else if (!['approved', 'pr_failed'].includes(status)) t.strictSame(after, before)
  }
})

t.test('an edit with splits that do not fit the variants is refused, as are other bad edits', async (t) => {
  const id = await putExperiment(api, workspace, 'proposed')
  const whole = [
    { key: 'control', trafficSplit: 50 },
    { key: 'treatment', trafficSplit: 50 },
  ]
  const cases: [unknown, string[]][] = [
    [{ variants: [whole[0], { key: 'other', trafficSplit: 50 }] }, ['/variants/1/key', '/variants']],
    [{ variants: [whole[0], whole[0]] }, ['/variants/1/key', '/variants']],
    [{ variants: [whole[0], { key: 'treatment', trafficSplit: 49 }] }, ['/variants']],
    [{ variants: [whole[0]] }, ['/variants']],
    [
      {
        variants: [
          { key: 'treatment', trafficSplit: 100 },
          { key: 'control', trafficSplit: 0 },
        ],
      },
      ['/variants/1/trafficSplit'],
    ],
    [
      { variants: halves },
      ['/variants/0/key', '/variants/1/key', '/variants/0/displayName', '/variants/1/displayName'],
    ],
    [{ key: 'x', kind: 'feature' }, ['/key', '/kind']],
    [{ name: '' }, ['/name']],
  ]
  for (const [body, paths] of cases) {
    const refused = await client.refused('PATCH', `/experiments/${id}`, { key, body })
    t.strictSame(refused.body.details.map((detail) => detail.path).sort(), [...paths].sort())
  }
  const put = await client.refused('PUT', `/experiments/${id}/conversion-targets`, { key, body: {} })
  t.strictSame(
    put.body.details.map((detail) => detail.path),
    ['/conversionTargets'],
  )
})

t.test('an Idempotency-Key makes one experiment of two requests', async (t) => {
  const options = { headers: { 'Idempotency-Key': 'declare-once' } }
  const first = await create({ name: 'Once only' }, options)
  const second = await create({ name: 'Once only' }, options)
  t.equal(second.headers['idempotent-replayed'], 'true')
  t.equal(second.text, first.text)
  t.equal(second.headers.location, first.headers.location)
  const reused = await client.refused('POST', '/experiments', {
    key,
    body: experimentBody({ name: 'Other' }),
    ...options,
  })
  t.equal(reused.body.code, 'IDEMPOTENCY_KEY_REUSED')
})
