import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { Api, Input } from './client/api.js'
import { unreachableError } from './client/error-response.js'
import type { Context } from './context.js'
import { printJsonText } from './output.js'

/** Prints what an operation streams as NDJSON, at the pace of standard output. */
export async function printLines<O extends Parameters<Api['stream']>[0]>(
  { api, terminal, interruptSignal }: Context,
  operation: O,
  input: { readonly path?: object; readonly query?: object },
): Promise<void> {
  const client = await api()
  const stream = await client.stream(
    operation,
    input as Input<O>,
    { Accept: 'application/x-ndjson' },
    interruptSignal(),
  )
  const body = Readable.from(stream.body)
  let broken: unknown
  // The lines end when the connection breaks.
  body.on('error', (error) => {
    broken = error
  })
  for await (const line of createInterface({ input: body, crlfDelay: Number.POSITIVE_INFINITY })) {
    printJsonText(terminal, line)
    if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain')
  }
  if (broken !== undefined) throw unreachableError(client.url, broken)
}
