import { SAVED_RANGES } from '../../domain/funnel.js'
import { periodBefore } from '../../domain/period-before.js'
import { TREND_MEASURES } from '../../domain/trends.js'
import type { Input } from '../client/api.js'
import { usageError } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { parseFilter } from '../funnels/filter.js'
import { printJsonText } from '../output.js'
import { printAnswer } from '../render/page.js'
import { renderTrends } from './render.js'

type TrendsBody = Input<'queryTrends'>['body']

interface Options extends CommonOptions {
  readonly from?: string
  readonly to?: string
  readonly interval?: NonNullable<TrendsBody['interval']>
  readonly breakdown?: string
  readonly breakdownLimit?: number
  readonly where?: readonly string[]
  readonly compare?: boolean
}

export async function printTrends(
  context: Context,
  series: readonly string[],
  options: Options,
): Promise<void> {
  const { from, to, interval, breakdown, breakdownLimit, where } = options
  if (breakdownLimit !== undefined && breakdown === undefined)
    throw usageError('--breakdown-limit needs --breakdown')
  // The request, being JSON, leaves out what is undefined.
  const body = {
    from,
    to,
    interval,
    series: series.map(parseSeries),
    breakdown: breakdown === undefined ? undefined : { property: breakdown, limit: breakdownLimit },
    filters: where?.map(parseFilter),
  } as TrendsBody
  await printTrendsOf(context, options, body, options.compare === true)
}

const DEFAULT_DAYS_MS = SAVED_RANGES['30d']

/** Prints trends, and compares them with the period before. With `--json`, an answer a line. */
export async function printTrendsOf(
  context: Context,
  options: CommonOptions,
  body: TrendsBody,
  compare: boolean,
): Promise<void> {
  const api = await context.api()
  if (!compare) return printAnswer(context, options, await api.call('queryTrends', { body }), renderTrends)
  // Both end at one time.
  const to = body.to ?? new Date(context.now()).toISOString()
  const from = body.from ?? new Date(Date.parse(to) - DEFAULT_DAYS_MS).toISOString()
  const compared = { ...body, from, to }
  const [answer, before] = await Promise.all([
    api.call('queryTrends', { body: compared }),
    api.call('queryTrends', { body: periodBefore(compared, context.now()) }),
  ])
  await printAnswer(context, options, answer, (style, trends) => renderTrends(style, trends, before.body))
  if (options.json) printJsonText(context.terminal, before.text)
}

/** `EVENT`, `EVENT:MEASURE` or `EVENT:MEASURE:PROPERTY`. Throws CommandError. */
export function parseSeries(text: string): TrendsBody['series'][number] {
  const [, eventName = '', measure, property] =
    /^([A-Za-z0-9_.$-]+)(?::([a-z0-9]+)(?::(.+))?)?$/s.exec(text) ?? []
  const known = TREND_MEASURES.find((each) => each === measure)
  if (eventName === '' || (measure !== undefined && known === undefined))
    throw usageError(
      `${JSON.stringify(text)} is not a series: write EVENT, EVENT:persons or EVENT:sum:PROPERTY; the measures are ${TREND_MEASURES.join(', ')}`,
    )
  return {
    eventName,
    ...(known === undefined ? {} : { measure: known }),
    ...(property === undefined ? {} : { property }),
  }
}
