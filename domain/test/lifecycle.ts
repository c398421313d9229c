import t from 'tap'
import {
  EDITABLE,
  IN_FLIGHT,
  isSettled,
  legalFrom,
  type Move,
  SETTLED,
  STATUSES,
  type Status,
  TRANSITIONS,
  transition,
} from '../lifecycle.js'

/** Written from the specification's table, not from the code: every legal move, all others are not. */
const LEGAL: Record<Move, Partial<Record<Status, readonly Status[]>>> = {
  approve: { proposed: ['approved', 'generating_pr', 'pr_open', 'pr_failed'] },
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

t.test('every move from every status to every status', (t) => {
  const moves = Object.keys(TRANSITIONS) as Move[]
  t.strictSame(moves.sort(), Object.keys(LEGAL).sort())
  const wrong: string[] = []
  for (const move of moves)
    for (const from of STATUSES) {
      const ends = LEGAL[move][from]
      if ((transition(from, move) !== undefined) !== (ends !== undefined)) wrong.push(`${move} from ${from}`)
      if (legalFrom(move).includes(from) !== (ends !== undefined))
        wrong.push(`${from} among those for ${move}`)
      for (const to of STATUSES) {
        const reached = transition(from, move, to)
        if (reached !== (ends?.includes(to) ? to : undefined))
          wrong.push(`${move} from ${from} to ${to}: ${reached}`)
      }
    }
  t.same(wrong, [])
  t.end()
})

t.test('settled statuses are never left, and every other one can be', (t) => {
  t.strictSame([...SETTLED].sort(), ['concluded', 'dismissed', 'pr_failed', 'rejected', 'shipped'])
  for (const status of STATUSES) {
    const leaves = (Object.keys(TRANSITIONS) as Move[]).some((move) => legalFrom(move).includes(status))
    t.equal(leaves, !isSettled(status), status)
  }
  t.end()
})

t.test('every status but the first is reached', (t) => {
  const reached = new Set<Status>(Object.values(TRANSITIONS).flatMap(({ to }) => to))
  t.strictSame(
    STATUSES.filter((status) => !reached.has(status)),
    [],
    'proposed too: by refining it',
  )
  t.end()
})

t.test('what is in flight, and what can be edited', (t) => {
  t.strictSame(IN_FLIGHT, ['approved', 'generating_pr', 'pr_open', 'ready', 'running', 'paused'])
  t.strictSame(EDITABLE, { proposal: ['proposed'], measurement: ['proposed', 'approved', 'pr_failed'] })
  t.end()
})
