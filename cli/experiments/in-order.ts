import type { Answer } from '../client/api.js'
import type { Common, Context } from '../context.js'
import { CommandFailure } from '../failure.js'

/** Carries a command out for each of several, in order, and stops at the first refusal, which then names what was done and what was not tried. */
export async function inOrder<Body>(
  context: Context,
  ids: readonly string[],
  options: Common,
  carryOut: (id: string) => Promise<Answer<Body>>,
  done: (body: Body) => string,
): Promise<void> {
  for (const [at, id] of ids.entries()) {
    try {
      const { text, body } = await carryOut(id)
      context.terminal.out(options.json ? `${text}\n` : `${done(body)}\n`)
    } catch (error) {
      if (!(error instanceof CommandFailure) || ids.length === 1) throw error
      const before = ids.slice(0, at)
      const after = ids.slice(at + 1)
      throw new CommandFailure(error.exitCode, `${id}: ${error.message}`, error.code, [
        ...error.more,
        ...(before.length === 0 ? [] : [`done before it: ${before.join(', ')}`]),
        ...(after.length === 0 ? [] : [`not tried: ${after.join(', ')}`]),
      ])
    }
  }
}
