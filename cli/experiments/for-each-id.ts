import type { ApiResponse } from '../client/api.js'
import { CommandError } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'

/** Carries a command out for each of several, in order, and stops at the first refusal, which then names what was done and what was not tried. */
export async function forEachId<Body>(
  context: Context,
  ids: readonly string[],
  options: CommonOptions,
  carryOut: (id: string) => Promise<ApiResponse<Body>>,
  done: (body: Body) => string,
): Promise<void> {
  for (const [at, id] of ids.entries()) {
    try {
      const { text, body } = await carryOut(id)
      context.terminal.out(options.json ? `${text}\n` : `${done(body)}\n`)
    } catch (error) {
      if (!(error instanceof CommandError) || ids.length === 1) throw error
      const before = ids.slice(0, at)
      const after = ids.slice(at + 1)
      throw new CommandError(error.exitCode, `${id}: ${error.message}`, error.code, [
        ...error.details,
        ...(before.length === 0 ? [] : [`done before it: ${before.join(', ')}`]),
        ...(after.length === 0 ? [] : [`not tried: ${after.join(', ')}`]),
      ])
    }
  }
}
