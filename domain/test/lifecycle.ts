import t from 'tap'
import {
  EDITABLE,
  IN_FLIGHT,
  isLegal,
  isSettled,
  legalFrom,
  resultingStatus,
  SETTLED,
  STATUSES,
  type Status,
  TRANSITIONS,
  type Transition,
  type TransitionName,
} from '../lifecycle.js'

/** Written from the specification's table, not from the code: every legal move, all others are not. */
const LEGAL: Record<TransitionName, Partial<Record<Status, readonly Status[]>>> = {
  // The outcome of its pull request is a separate transition.
  approve: { proposed: ['approved', 'generating_pr'] },
  dismiss: { proposed: ['dismissed'] },
  refine: { proposed: ['proposed'] },
  generatePr: { approved: ['generating_pr'] },
  prWritten: { generating_pr: ['pr_open', 'pr_failed'] },
  prMerged: { pr_open: ['ready'] },
  prClosed: { pr_open: ['rejected'] },
  start: { approved: ['running'], ready: ['running'] },
  startMerged: { pr_open: ['running'] },
  pause: { running: ['paused'] },
  resume: { paused: ['running'] },
  end: { running: ['ended'], paused: ['ended'] },
  conclude: { running: ['concluded'], paused: ['concluded'], ended: ['concluded'] },
  decide: { ended: ['settling'] },
  decideAtOnce: { ended: ['shipped', 'rejected'], settling: ['shipped', 'rejected'] },
  settle: { settling: ['shipped', 'rejected'] },
  ship: { running: ['shipped'], paused: ['shipped'], ended: ['shipped'] },
}

/** Every end that a move can come to. */
function endsOf(move: TransitionName): Status[] {
  const { to } = TRANSITIONS[move]
  if (typeof to === 'string') return [resultingStatus({ name: move } as Transition)]
  return Object.keys(to).map((outcome) => resultingStatus({ name: move, outcome } as Transition))
}

t.test('each transition is allowed from the statuses of the table only', (t) => {
  const moves = Object.keys(TRANSITIONS) as TransitionName[]
  t.strictSame(moves.sort(), Object.keys(LEGAL).sort())
  const wrong: string[] = []
  for (const move of moves)
    for (const from of STATUSES) {
      const ends = LEGAL[move][from]
      if (isLegal(from, move) !== (ends !== undefined)) wrong.push(`${move} from ${from}`)
      if (legalFrom(move).includes(from) !== (ends !== undefined))
        wrong.push(`${from} among those for ${move}`)
      if (ends !== undefined && endsOf(move).sort().join() !== [...ends].sort().join())
        wrong.push(`${move} from ${from} ends in ${endsOf(move)}`)
    }
  t.same(wrong, [])
  t.end()
})

t.test('the outcome decides the resulting status, and an unknown outcome is an error', (t) => {
  t.equal(resultingStatus({ name: 'settle', outcome: 'ship' }), 'shipped')
  t.equal(resultingStatus({ name: 'settle', outcome: 'reject' }), 'rejected')
  t.equal(resultingStatus({ name: 'prWritten', outcome: 'failed' }), 'pr_failed')
  t.equal(resultingStatus({ name: 'ship' }), 'shipped')
  t.throws(() => resultingStatus({ name: 'settle', outcome: 'shelve' } as unknown as Transition))
  t.throws(() => resultingStatus({ name: 'settle' } as unknown as Transition))
  t.end()
})

t.test('settled statuses are never left, and every other one can be', (t) => {
  t.strictSame([...SETTLED].sort(), ['concluded', 'dismissed', 'pr_failed', 'rejected', 'shipped'])
  for (const status of STATUSES) {
    const leaves = (Object.keys(TRANSITIONS) as TransitionName[]).some((move) =>
      legalFrom(move).includes(status),
    )
    t.equal(leaves, !isSettled(status), status)
  }
  t.end()
})

t.test('every status but the first can be reached', (t) => {
  const reached = new Set<Status>((Object.keys(TRANSITIONS) as TransitionName[]).flatMap(endsOf))
  t.strictSame(
    STATUSES.filter((status) => !reached.has(status)),
    [],
    'proposed too: by refining it',
  )
  t.end()
})

t.test('statuses in flight and editable statuses are the documented ones', (t) => {
  t.strictSame(IN_FLIGHT, ['approved', 'generating_pr', 'pr_open', 'ready', 'running', 'paused'])
  t.strictSame(EDITABLE, { proposal: ['proposed'], measurement: ['proposed', 'approved', 'pr_failed'] })
  t.end()
})
