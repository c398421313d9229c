import t from 'tap'
import { MachineClock } from '../../clients/machine-clock.js'
import type { FAULTY } from '../../verify/verify.js'
import type { AuditBook, ExperimentBook, ManagementBooks, PullRequestBook } from '../books.js'
import { ManagementTruth, markOf, type Write, type WriteOutcome } from '../truth.js'
import { verifyManagement } from '../verify-management.js'

type Kind = (typeof FAULTY)[number]

/**
 * An experiment that was shipped, a run with one proposal and a funnel, and the books that are right for
 * them.
 */
class Story {
  readonly truth = new ManagementTruth(new MachineClock())
  readonly books: ManagementBooks
  readonly shipped: ExperimentBook
  readonly proposal: ExperimentBook

  constructor() {
    const created = this.write('experiment.create', undefined, 'chaos-0')
    created.resource = 'shipped'
    for (const action of ['start', 'pause', 'resume', 'end', 'decide'])
      this.write(`experiment.${action}`, 'shipped')
    this.write('experiment.generate', 'run')
    const funnel = this.write('funnel.create', undefined, 'funnel 7')
    funnel.resource = 'funnel'
    const changed = this.write('funnel.update', 'funnel')
    this.shipped = experiment({ id: 'shipped', key: 'chaos-0', texts: Array(4).fill(markOf(created.number)) })
    this.proposal = experiment({
      id: 'proposal',
      key: 'shorter',
      origin: 'generated',
      runId: 'run',
      status: 'proposed',
      texts: ['Shorter', 'It is long', ''],
    })
    this.books = {
      experiments: [this.shipped, this.proposal],
      audit: [
        ...this.truth.writes.map(({ action, resource = '' }) => entry(action, resource, true)),
        ...['opened', 'merged', 'settled', 'cleanup-opened'].map((end) =>
          entry(`experiment.${end}`, 'shipped'),
        ),
        entry('experiment.generated', 'run'),
        entry('learning.create', 'learning'),
        entry('workspace.create', 'workspace'),
      ],
      learnings: [{ id: 'learning', experimentId: 'shipped', interpretation: '' }],
      runs: [{ id: 'run', status: 'succeeded', survived: 1 }],
      pullRequests: [
        pullRequest({ number: 1 }),
        pullRequest({ purpose: 'cleanup', number: 2, state: 'open' }),
      ],
      branches: new Map([
        ['svc/chaos-0', 1],
        ['svc/chaos-0-cleanup', 1],
      ]),
      closed: new Set(),
      funnels: [{ id: 'funnel', name: 'funnel 7', texts: Array(2).fill(markOf(changed.number)) }],
      jobs: [],
    }
  }

  write(
    action: string,
    resource: string | undefined,
    creates?: string,
    outcome: WriteOutcome = 'done',
  ): Write {
    const write = this.truth.begin(action, resource, creates === undefined ? undefined : () => creates)
    this.truth.settle(write, outcome)
    return write
  }

  without(action: string): Partial<ManagementBooks> {
    return { audit: this.books.audit.filter((entry) => entry.action !== action) }
  }

  found(): Kind[] {
    const kinds = new Set<Kind>()
    const find = (kind: Kind): unknown => kinds.add(kind)
    verifyManagement({ truth: this.truth, books: this.books, now: Date.now(), find })
    return [...kinds].sort()
  }
}

function entry(action: string, resource: string, byRequest = false): AuditBook {
  return { action, resource, summary: '', byRequest }
}

function experiment(fields: Partial<ExperimentBook>): ExperimentBook {
  return {
    ...{ id: '', key: '', origin: 'api', runId: null, status: 'shipped', rejectedStage: null },
    ...{ settlesAt: null, texts: [], changes: 1, variants: 2 },
    ...fields,
  }
}

function pullRequest({ purpose = 'pr', ...fields }: Partial<PullRequestBook>): PullRequestBook {
  const branch = purpose === 'pr' ? 'svc/chaos-0' : `svc/chaos-0-${purpose}`
  return {
    ...{ experimentId: 'shipped', purpose, branch, baseCommit: 'base', number: null, state: 'merged' },
    ...{ error: null, ...fields },
  }
}

t.test('requests whose effect is there once are right', async (t) => {
  const story = new Story()
  t.same(story.found(), [])
  story.write('experiment.pause', 'shipped', undefined, 'refused')
  story.write('experiment.create', undefined, 'chaos-99', 'unknown')
  t.same(story.found(), [], 'what was given up may be absent')
})

/** Each case breaks one thing, and names the findings. */
const BROKEN: Readonly<Record<string, readonly [(story: Story) => Partial<ManagementBooks>, ...Kind[]]>> = {
  'a request without its audit entry': [(story) => story.without('funnel.update'), 'lost'],
  'a transition without its audit entry': [(story) => story.without('experiment.pause'), 'illegal', 'lost'],
  'what svc did without an audit entry': [(story) => story.without('experiment.settled'), 'illegal'],
  'two audit entries for one request': [
    ({ books }) => ({
      audit: [...books.audit, entry('funnel.update', 'funnel', true)],
    }),
    'doubled',
  ],
  'a refused request that created something': [
    (story) => {
      story.write('funnel.create', undefined, 'funnel 9', 'refused')
      return { funnels: [...story.books.funnels, { id: 'other', name: 'funnel 9', texts: [] }] }
    },
    'wrong',
  ],
  'a funnel that is gone': [() => ({ funnels: [] }), 'lost'],
  'fields of two requests': [
    () => ({ funnels: [{ id: 'funnel', name: 'funnel 7', texts: [markOf(7), markOf(8)] }] }),
    'torn',
  ],
  'an acknowledged change that is undone': [
    (story) => {
      const [created] = story.truth.writes.filter(({ action }) => action === 'funnel.create')
      if (created !== undefined) created.endedAt = 0
      return { funnels: [{ id: 'funnel', name: 'funnel 7', texts: [markOf(7), markOf(7)] }] }
    },
    'lost',
  ],
  'a state that no transition leads to': [
    ({ shipped, proposal }) => ({ experiments: [{ ...shipped, status: 'concluded' }, proposal] }),
    'doubled',
    'illegal',
  ],
  'a run without the audit entry of its end': [(story) => story.without('experiment.generated'), 'lost'],
  'a learning without its audit entry': [(story) => story.without('learning.create'), 'lost'],
  'a pull request that was opened twice': [
    ({ books }) => ({ audit: [...books.audit, entry('experiment.opened', 'shipped')] }),
    'illegal',
  ],
  'an outcome without its learning': [() => ({ learnings: [] }), 'lost'],
  'two learnings': [({ books }) => ({ learnings: [...books.learnings, ...books.learnings] }), 'doubled'],
  'a run that does not end': [() => ({ runs: [{ id: 'run', status: 'running', survived: 1 }] }), 'lost'],
  'a batch stored twice': [
    ({ books, proposal }) => ({
      experiments: [...books.experiments, { ...proposal, id: 'again', key: 'shorter-2' }],
    }),
    'doubled',
  ],
  'a batch stored in part': [() => ({ runs: [{ id: 'run', status: 'succeeded', survived: 2 }] }), 'torn'],
  'no pull request': [() => ({ pullRequests: [] }), 'doubled', 'lost'],
  'no cleanup': [({ books }) => ({ pullRequests: books.pullRequests.slice(0, 1) }), 'doubled', 'lost'],
  'a branch without an experiment': [
    ({ books }) => ({ branches: new Map([...books.branches, ['svc/other', 1]]) }),
    'doubled',
  ],
  'two commits on a branch': [
    ({ books }) => ({
      pullRequests: books.pullRequests.map((row) => ({ ...row, state: 'open' })),
      branches: new Map([...books.branches, ['svc/chaos-0', 2]]),
    }),
    'doubled',
    'lost',
  ],
}

for (const [name, [spoil, ...kinds]] of Object.entries(BROKEN))
  t.test(`found: ${name}`, async (t) => {
    const story = new Story()
    Object.assign(story.books, spoil(story))
    const found = story.found()
    t.ok(
      kinds.some((kind) => found.includes(kind)),
      `found ${found.join(', ')}`,
    )
    t.same(
      found.filter((kind) => !kinds.includes(kind)),
      [],
    )
  })
