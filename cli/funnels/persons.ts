import type { Input } from '../client/api.js'
import type { CommonOptions, Context } from '../context.js'
import { writeToOutput } from '../write-to-output.js'
import { findFunnel } from './query.js'

interface PersonsOptions extends CommonOptions {
  readonly step: number
  readonly lost?: true
  readonly from?: string
  readonly to?: string
  readonly format?: 'ndjson' | 'csv'
}

export async function writeFunnelPersons(
  context: Context,
  name: string,
  { step, lost, from, to, format, json }: PersonsOptions,
): Promise<void> {
  const api = await context.api()
  const { id } = await findFunnel(api, name)
  const query = {
    step: step - 1,
    outcome: lost ? 'lost' : 'reached',
    from,
    to,
    format: json ? 'ndjson' : format,
  }
  const input = { path: { funnelId: id }, query } as Input<'listFunnelPersons'>
  const { body } = await api.stream('listFunnelPersons', input, { Accept: '*/*' }, context.interruptSignal())
  await writeToOutput(context, body)
}
