import { formatCount } from '../../domain/text/format.js'
import type { ApiResponse } from '../client/api.js'
import { printJsonText, type Terminal } from '../output.js'
import { type Column, renderTable } from './table.js'
import type { TerminalStyle } from './terminal-style.js'

export interface ListBody<Row> {
  readonly data: readonly Row[]
  readonly pagination?: {
    readonly limit: number
    readonly offset: number
    readonly total: number
    readonly hasMore: boolean
  }
}

interface Output {
  readonly terminal: Terminal
  style(): TerminalStyle
}
interface OutputOptions {
  readonly json?: boolean | undefined
}

/** Prints an answer: unchanged with `--json`, rendered otherwise. A long text goes through the pager. */
export async function printAnswer<Body>(
  { terminal, style }: Output,
  options: OutputOptions,
  { text, body }: Pick<ApiResponse<Body>, 'text' | 'body'>,
  render: (style: TerminalStyle, body: Body) => string,
): Promise<void> {
  if (options.json) return printJsonText(terminal, text)
  const rendered = render(style(), body)
  await (terminal.page?.(rendered) ?? terminal.out(rendered))
}

export async function printPage<Row>(
  output: Output,
  options: OutputOptions,
  answer: ApiResponse<ListBody<Row>>,
  noun: string,
  columns: (style: TerminalStyle) => readonly Column<Row>[],
): Promise<void> {
  const { data, pagination } = answer.body
  const { err } = output.terminal
  if (!options.json && data.length === 0)
    return err(pagination !== undefined && pagination.total > 0 ? `No more ${noun}.\n` : `No ${noun}.\n`)
  await printAnswer(output, options, answer, (style) => renderTable(style, columns(style), data))
  if (options.json || !pagination?.hasMore) return
  const { offset, total } = pagination
  const next = offset + data.length
  const range = `${formatCount(offset + 1)} to ${formatCount(next)} of ${formatCount(total)}`
  err(`${range} ${noun}; more with --offset ${next}\n`)
}
