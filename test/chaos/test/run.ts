import t from 'tap'
import { LONG, SEED } from '../../support/cases.js'
import { FAULTS, faultsNamed } from '../faults/faults.js'
import { onAllInOne, shortRun } from './support/short-run.js'

/** `npm run chaos` has them all. */
const MAX_TELLING = [
  'consumer:before-intent',
  'consumer:intent-written',
  'consumer:inserted',
  'consumer:marked',
  'identity:linked',
  'outbox:written',
  'gateway:appended, all',
  'kill all',
]

/** Three of them by turns, or all. */
const CHOSEN = LONG
  ? MAX_TELLING
  : [0, 3, 6].map((step) => MAX_TELLING[(SEED + step) % MAX_TELLING.length] ?? '')

t.test(
  'disturbed at any point, nothing acknowledged is lost, doubled or torn',
  { timeout: 600_000 },
  async (t) => {
    const { entry, verdict, lines } = await shortRun(
      { seed: SEED, faults: faultsNamed(CHOSEN, FAULTS) },
      onAllInOne,
    )
    for (const line of lines) t.comment(line)
    const { acknowledged, stored, writes: _, jobs: __, ...faulty } = verdict.count
    t.same(
      faulty,
      { lost: 0, doubled: 0, torn: 0, wrong: 0, links: 0, illegal: 0 },
      verdict.findings.join('\n'),
    )
    const most = 1_000 * CHOSEN.length
    t.ok(acknowledged > most && stored > 0.6 * most, `${acknowledged} acknowledged, ${stored} stored`)
    // A machine that does other things as well may keep one from meeting traffic in time; it is in the lines.
    t.ok(
      Object.keys(entry.faults).length >= CHOSEN.length - 1,
      `faults that count: ${JSON.stringify(entry.faults)}`,
    )
  },
)
