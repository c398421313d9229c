import type { ApiResponse } from './client/api.js'
import { CommandError } from './command-error.js'
import type { CommonOptions, Context } from './context.js'
import { printJsonText } from './output.js'
import type { TerminalStyle } from './render/terminal-style.js'

/** Runs a command for each id. The first error stops it and lists what was done and not tried. */
export async function forEachId<Body>(
  context: Context,
  ids: readonly string[],
  options: CommonOptions,
  run: (id: string) => Promise<ApiResponse<Body>>,
  describe: (style: TerminalStyle, body: Body) => string,
): Promise<void> {
  const style = context.style()
  for (const [at, id] of ids.entries()) {
    try {
      const { text, body } = await run(id)
      if (options.json) printJsonText(context.terminal, text)
      else context.terminal.out(`${describe(style, body)}\n`)
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
