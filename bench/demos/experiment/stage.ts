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

/** The demo's output: one line per step with its time, and details below. */
export interface DemoOutput {
  look(): TerminalStyle
  /** Runs a step with a spinner; `say` reports progress. `done` becomes the step's line. */
  step<T>(doing: string, work: (say: (how: string) => void) => Promise<Told<T>>): Promise<T>
  /** The `svc` command that the step ran. */
  command(args: readonly string[]): void
  heading(text: string): void
  text(text: string): void
  /** Prints something already drawn. */
  drawn(text: string): void
}

interface Told<T> {
  readonly done: string
  readonly value: T
}

const INDENT = '  '
/** The column of times on wide terminals. */
const WIDEST = 100

export function openDemoOutput(terminal: Terminal, now: () => number): DemoOutput {
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
        // Without a terminal each text is a line, so only finished steps are printed.
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
