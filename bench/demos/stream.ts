import { formatPercent } from '../../domain/text/format.js'
import {
  callApi,
  type OutgoingEvent,
  progressLine,
  sendBatch,
  settledVocabulary,
  type Target,
} from '../support/client.js'
import { shopEvents } from '../support/data/shop.js'
import { seededRandom } from '../support/random.js'
import { table } from '../support/table.js'

const SEED = 7
const VISITORS = 3_000
const FUNNEL = 'Shop: from visit to purchase'
const STEPS = ['page_viewed', 'product_viewed', 'cart_added', 'checkout_started', 'purchased']

interface Funnel {
  readonly id: string
  readonly name: string
}

interface FunnelAnswer {
  readonly conversionRate: number | null
  readonly steps: ReadonlyArray<{
    readonly name: string
    readonly count: number
    readonly conversionFromPrevious: number | null
    readonly dropOff: number
    readonly medianSecondsFromPrevious: number | null
  }>
  readonly query: { readonly elapsedMs: number; readonly rowsRead: number }
}

/** Streams a seeded shop to the local service, creates a funnel and shows it. */
export async function streamDemo(target: Target): Promise<void> {
  const random = seededRandom(SEED)
  const events = shopEvents(SEED, VISITORS, Date.now())
  const progress = progressLine('sent', events.length)
  let again = 0
  for (let at = 0; at < events.length; at += 250) {
    const batch = events.slice(at, at + 250)
    // Every third server has a clock that is two hours slow, and sends `sentAt`: the service corrects it.
    const slow = random() < 0.33 ? 2 * 60 * 60 * 1_000 : 0
    const send = () => sendBatch(target, delayed(batch, slow), new Date(Date.now() - slow).toISOString())
    await send()
    // A time-out is ambiguous, so clients send again: with insertIds nothing is counted twice.
    if (random() < 0.1) {
      again += batch.length
      await send()
    }
    progress(Math.min(events.length, at + 250))
  }
  await settledVocabulary(target)
  const { data: funnels } = await callApi<{ data: Funnel[] }>(target, 'GET', '/funnel')
  const steps = STEPS.map((eventName) => ({ eventName }))
  const funnel =
    funnels.find(({ name }) => name === FUNNEL) ??
    (await callApi<Funnel>(target, 'POST', '/funnel', { name: FUNNEL, steps }))
  const answer = await callApi<FunnelAnswer>(target, 'POST', `/funnel/${funnel.id}/query`, {})
  process.stdout.write(
    `${FUNNEL}, last 30 days (${events.length} events of ${VISITORS} visitors, ${again} of them sent twice)\n\n` +
      `${table(
        ['step', 'persons', 'of previous', 'lost', 'median time'],
        answer.steps.map((step) => [
          step.name,
          String(step.count),
          formatPercent(step.conversionFromPrevious),
          String(step.dropOff),
          step.medianSecondsFromPrevious === null ? '' : `${step.medianSecondsFromPrevious.toFixed(0)} s`,
        ]),
      )}\n\n` +
      `${formatPercent(answer.conversionRate)} of them buy. Computed from ${answer.query.rowsRead} rows in ${answer.query.elapsedMs.toFixed(0)} ms.\n` +
      `The same with curl: POST ${target.api}/v1/funnel/${funnel.id}/query\n`,
  )
}

function delayed(batch: readonly OutgoingEvent[], slow: number): OutgoingEvent[] {
  return batch.map((event) => ({
    ...event,
    ...(event.timestamp === undefined
      ? {}
      : { timestamp: new Date(Date.parse(event.timestamp) - slow).toISOString() }),
  }))
}
