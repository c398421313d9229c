import type { Input } from '../client/api.js'
import type { CommonOptions, Context } from '../context.js'
import { parseFilter } from '../funnels/filter.js'
import { printAnswer } from '../render/page.js'
import { renderRetention } from './render.js'

type RetentionBody = Input<'queryRetention'>['body']

interface Options extends CommonOptions {
  readonly from?: string
  readonly to?: string
  readonly interval?: NonNullable<RetentionBody['interval']>
  readonly periods?: number
  readonly startWhere?: readonly string[]
  readonly returnWhere?: readonly string[]
}

export async function printRetention(
  context: Context,
  startEvent: string,
  returnEvent: string | undefined,
  options: Options,
): Promise<void> {
  const { from, to, interval, periods, startWhere, returnWhere } = options
  // The request, being JSON, leaves out what is undefined.
  const body = {
    from,
    to,
    interval,
    periods,
    startEvent,
    returnEvent: returnEvent ?? startEvent,
    startFilters: startWhere?.map(parseFilter),
    returnFilters: returnWhere?.map(parseFilter),
  } as RetentionBody
  const answer = await (await context.api()).call('queryRetention', { body })
  await printAnswer(context, options, answer, renderRetention)
}
