import t from 'tap'
import type { components } from '../../contract/operations.js'
import { ApiError } from '../client/api-error.js'
import {
  createBody,
  draftOf,
  duplicateOf,
  emptyChange,
  emptyTarget,
  evenSplits,
  mergeDrafts,
  newDraft,
  updateBody,
} from '../pages/experiments/form/experiment-draft.js'
import { problemsOf, unplaced } from '../pages/experiments/form/problems.js'

type Experiment = components['schemas']['Experiment']

const experiment = {
  name: 'Shorter checkout',
  key: 'shorter-checkout',
  hypothesis: 'Fewer pages lose fewer persons.',
  mechanism: '',
  notes: '',
  priority: 'high',
  variants: [
    { key: 'control', displayName: 'Control', trafficSplit: 50, isControl: true },
    { key: 'one-page', displayName: 'One page', trafficSplit: 50, isControl: false },
  ],
  conversionTargets: [
    {
      eventName: 'order_paid',
      name: 'Paid',
      direction: 'increase',
      windowHours: 72,
      filters: [{ property: 'coupon', operator: 'eq', value: '5' }],
    },
    {
      eventName: 'order_paid',
      name: 'order_paid',
      direction: 'increase',
      windowHours: null,
      filters: [],
      metric: { type: 'mean', property: 'total', cuped: true },
    },
    {
      eventName: 'refunded',
      name: 'refunded',
      direction: 'decrease',
      windowHours: null,
      filters: [],
      role: 'guardrail',
      margin: 0.029,
    },
  ],
  sizing: { minimumEffect: 0.07, power: 0.9, alpha: 0.05, exposureEvent: 'page_viewed' },
  surfaces: [{ path: 'src/checkout.html', anchor: null }],
} as unknown as Experiment

t.test('an experiment comes back as it was, and a draft that is not changed sends nothing', async (t) => {
  const draft = draftOf(experiment)
  t.same(updateBody(draft, draftOf(experiment)), {})
  const body = createBody(draft)
  t.match(body, {
    name: 'Shorter checkout',
    priority: 'high',
    sizing: { minimumEffect: 0.07, power: 0.9, exposureEvent: 'page_viewed' },
    surfaces: [{ path: 'src/checkout.html' }],
  })
  t.same(body.conversionTargets, [
    {
      eventName: 'order_paid',
      name: 'Paid',
      windowHours: 72,
      filters: [{ property: 'coupon', operator: 'eq', value: '5' }],
    },
    { eventName: 'order_paid', metric: { type: 'mean', property: 'total', cuped: true } },
    { eventName: 'refunded', direction: 'decrease', role: 'guardrail', margin: 0.029 },
  ])
  t.match(createBody(duplicateOf(experiment)), { name: 'Shorter checkout (copy)', key: undefined })
})

t.test('an edit sends the fields that differ, and none that someone else has saved is undone', async (t) => {
  const read = draftOf(experiment)
  const mine = { ...read, targets: [{ ...emptyTarget, eventName: 'signed_up' }] }
  t.same(Object.keys(updateBody(mine, read)), ['conversionTargets'])
  const theirs = { ...read, notes: 'theirs', targets: [{ ...emptyTarget, eventName: 'left' }] }
  const merged = mergeDrafts(mine, read, theirs)
  t.equal(merged.notes, 'theirs')
  t.equal(merged.targets[0]?.eventName, 'signed_up')
  t.same(Object.keys(updateBody(merged, theirs)), ['conversionTargets'])
})

t.test('the variant of an edit is sent by the key that the API will make', async (t) => {
  const named = ['Control', 'Ein Größe', 'Ein Grösse'].map((displayName) => ({
    key: '',
    displayName,
    trafficSplit: '33',
  }))
  const edit = { find: 'a', replace: 'b' }
  const changes = [
    { ...emptyChange, path: 'a.html', edits: ['1', '2', ''].map((variant) => ({ ...edit, variant })) },
  ]
  const body = createBody({ ...newDraft, variants: evenSplits(named), changes })
  const [change] = body.changes ?? []
  t.same(change?.action === 'modify' && change.edits?.map(({ variant }) => variant), [
    'ein-grosse',
    'ein-grosse-2',
    undefined,
  ])
  t.same(
    body.variants.map(({ trafficSplit }) => trafficSplit),
    [34, 33, 33],
  )
})

t.test('what is not a number is sent, so that the API names its field', async (t) => {
  const variants = newDraft.variants.map((variant) => ({ ...variant, trafficSplit: '' }))
  t.match(JSON.stringify(createBody({ ...newDraft, variants })), '"trafficSplit":null')
})

t.test('a problem is at its field, and the rest is told', async (t) => {
  const failure = new ApiError(400, 'VALIDATION_FAILED', 'Not valid', 'r1', [
    { path: '/conversionTargets/1/eventName', message: 'must not be empty' },
    { path: '/changes/0/edits/2/find', message: 'is not in the file' },
    { path: '/kind', message: 'is odd' },
  ])
  t.equal(problemsOf(failure)('/conversionTargets/1/eventName'), 'Must not be empty')
  t.equal(problemsOf(failure)('/name'), undefined)
  t.same(unplaced(failure)?.details, [{ path: '/kind', message: 'is odd' }])
  t.equal(unplaced(new ApiError(400, 'VALIDATION_FAILED', '', null, failure.details.slice(0, 2))), undefined)
  t.equal(unplaced(new ApiError(0, 'UNREACHABLE', 'gone', null, []))?.message, 'gone')
})
