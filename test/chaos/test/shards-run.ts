import t from 'tap'
import { SEED } from '../../support/cases.js'
import { kafkaProblem } from '../../support/kafka.js'
import { streamThroughFaults } from '../stream.js'

/** `npm run cluster` has more. */
const FAULTS = 8
const MINUTES = 2
/** Lines of the run that a failure quotes: its reason and the table. */
const LINES = 40

t.test(
  'two shards and three brokers: disturbed, each accepted event is stored once, and a funnel is right',
  { timeout: 600_000, skip: kafkaProblem() ?? false },
  async (t) => {
    const said: string[] = []
    const isRight = await streamThroughFaults({
      brokers: 3,
      shards: 2,
      gateways: 2,
      consumers: 2,
      apis: 1,
      seed: SEED,
      faults: FAULTS,
      events: 300 * FAULTS,
      minutes: MINUTES,
      opened: () => {},
      say: (text) => {
        said.push(...text.split('\n'))
        for (const line of text.split('\n')) t.comment(line)
      },
    })
    t.ok(isRight, isRight ? 'the counts are equal' : `the counts differ: ${said.slice(-LINES).join(' | ')}`)
  },
)
