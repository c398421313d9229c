import { validate as isUuid } from 'uuid'
import type { Api, Input, Result } from '../client/api.js'
import { refusedError, usageError } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { escapeControls, printJsonText } from '../output.js'
import { parseExclusion, parseFilter } from './filter.js'
import { renderQuery } from './render.js'

type Body = NonNullable<Input<'queryFunnel'>['body']>

interface Options extends CommonOptions {
  readonly from?: string
  readonly to?: string
  readonly window?: number
  readonly order?: NonNullable<Body['order']>
  readonly breakdown?: string
  readonly breakdownLimit?: number
  readonly experiment?: string
  readonly interval?: NonNullable<Body['interval']>
  readonly where?: readonly string[]
  readonly exclude?: readonly string[]
}

export async function printFunnel(context: Context, name: string, options: Options): Promise<void> {
  const body = bodyOf(options)
  const api = await context.api()
  const funnel = await findFunnel(api, name)
  const answer = await api.call('queryFunnel', { path: { funnelId: funnel.id }, body })
  if (options.json) printJsonText(context.terminal, answer.text)
  else context.terminal.out(renderQuery(context.style(), funnel.name, answer.body, options.breakdown))
}

function bodyOf(options: Options): Body {
  const { from, to, window, order, breakdown, breakdownLimit, experiment, interval, where, exclude } = options
  if (breakdownLimit !== undefined && breakdown === undefined)
    throw usageError('--breakdown-limit needs --breakdown')
  // The request, being JSON, leaves out what is undefined.
  return {
    from,
    to,
    windowSeconds: window,
    order,
    breakdown: breakdown === undefined ? undefined : { property: breakdown, limit: breakdownLimit },
    experiment,
    interval,
    filters: where?.map(parseFilter),
    exclusions: exclude?.map(parseExclusion),
  } as Body
}

/** Finds a funnel by name, then by id. */
export async function findFunnel(
  api: Api,
  name: string,
): Promise<Pick<Result<'listFunnels'>['data'][number], 'id' | 'name'>> {
  const { data } = (await api.call('listFunnels', {})).body
  const found =
    data.find((funnel) => funnel.name === name) ??
    data.find(({ id }) => id === name.toLowerCase()) ??
    data.find((funnel) => funnel.name.toLowerCase() === name.toLowerCase())
  if (found !== undefined) return found
  // The API reports the missing funnel.
  if (isUuid(name)) return (await api.call('getFunnel', { path: { funnelId: name } })).body
  throw refusedError(`there is no funnel ${JSON.stringify(name)}`, 'NOT_FOUND', [
    data.length === 0
      ? 'try: svc funnels apply FILE, which makes some'
      : `there are: ${data.map((funnel) => escapeControls(funnel.name)).join(', ')}`,
  ])
}
