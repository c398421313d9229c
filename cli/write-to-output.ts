import { once } from 'node:events'
import { unreachableError } from './client/error-response.js'
import type { Context } from './context.js'

/** Writes a download to standard output, at the pace of its reader. */
export async function writeToOutput(context: Context, body: AsyncIterable<Buffer>): Promise<void> {
  try {
    for await (const chunk of body) if (!process.stdout.write(chunk)) await once(process.stdout, 'drain')
  } catch (error) {
    throw unreachableError(context.connection().apiUrl, error)
  }
}
