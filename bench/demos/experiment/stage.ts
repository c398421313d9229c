import type { Terminal } from '../../../cli/output.js'
import { startProgress } from '../../../cli/render/progress.js'
import {
  colorize,
  padEnd,
  type TerminalStyle,
  terminalStyle,
  wrapText,
} from '../../../cli/render/terminal-style.js'
import { formatDuration } from '../../../domain/text/format.js'

/** What the demo says: a step a line with its time, and below it what it did. */
export interface Stage {
  look(): TerminalStyle
  /** Does a step, with a spinner while it goes on; `say` tells how far it is. The step's line is what it resolves with. */
  step<T>(doing: string, work: (say: (how: string) => void) => Promise<Told<T>>): Promise<T>
  /** The `svc` command that the step ran. */
  command(args: readonly string[]): void
  heading(text: string): void
  text(text: string): void
  /** As it is: something already drawn. */
  drawn(text: string): void
}

export interface Told<T> {
  readonly done: string
  readonly value: T
}

const INDENT = '  '
/** Where the times stand, on wide terminals. */
const WIDEST = 100

export function openStage(terminal: Terminal, now: () => number): Stage {
  const look = terminalStyle(terminal, now())
  const columns = Math.min(look.columns ?? WIDEST, WIDEST)
  const line = (text: string): void => terminal.out(`${text.trimEnd()}\n`)
  const indented = (text: string, mark: string): void => {
    for (const each of wrapText(text, columns - mark.length)) line(`${mark}${each}`)
  }
  return {
    look: () => terminalStyle(terminal, now()),
    async step(doing, work) {
      const progress = startProgress(terminal, now)
      const startedAt = now()
      progress.show(doing)
      try {
        // Elsewhere than on a terminal each text is a line of its own: there only what is done is said.
        const { done, value } = await work((how) => {
          if (terminal.isInteractive === true) progress.show(`${doing}: ${how}`)
        })
        progress.end()
        const took = formatDuration(now() - startedAt)
        const [first = '', ...rest] = wrapText(done, columns - 12)
        line(
          `${colorize(look, 'green', '✓')} ${padEnd(first, columns - 12)}  ${colorize(look, 'dim', took.padStart(8))}`,
        )
        for (const each of rest) line(`${INDENT}${each}`)
        return value
      } catch (error) {
        progress.end()
        line(`${colorize(look, 'red', '✗')} ${doing}`)
        throw error
      }
    },
    command: (args) => line(`${INDENT}${colorize(look, 'dim', `$ svc ${args.map(shellWord).join(' ')}`)}`),
    heading: (text) => line(`\n${colorize(look, 'bold', text)}\n`),
    text: (text) => indented(text, INDENT),
    drawn: (text) => terminal.out(text),
  }
}

const shellWord = (text: string): string =>
  /^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
