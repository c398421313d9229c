import { TREND_MEASURES } from '../../domain/trends.js'
import type { Input } from '../client/api.js'
import { usageError } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { parseFilter } from '../funnels/filter.js'
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
  const answer = await (await context.api()).call('queryTrends', { body })
  await printAnswer(context, options, answer, renderTrends)
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
