import { isatty } from 'node:tty'
import type { Environment } from './client/config.js'
import type { Terminal } from './output.js'

/** The terminal or pipes of this process. */
export function processTerminal(environment: Environment): Terminal {
  const { stdout, stderr } = process
  // A reader that closes the pipe (`svc … | head`) is not an error.
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  const terminal: Terminal = {
    out: (text) => stdout.write(text),
    err: (text) => stderr.write(text),
    size: stdout.isTTY
      ? {
          // Some terminals report 0 until they are drawn.
          columns: stdout.columns || environment.columns || 80,
          rows: stdout.rows || 24,
        }
      : undefined,
    supportsColor: stdout.isTTY === true && !environment.noColor,
    isInteractive: stderr.isTTY === true && !environment.nonInteractive,
    // Not `process.stdin`, which would open it.
    canPrompt: isatty(0) && !environment.nonInteractive,
  }
  if (!stdout.isTTY || environment.nonInteractive) return terminal
  return {
    ...terminal,
    page: async (text) => (await import('./render/pager.js')).showInPager(terminal, text, environment.pager),
  }
}
