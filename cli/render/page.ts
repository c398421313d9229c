import type { ApiResponse } from '../client/api.js'
import type { CommonOptions, Context } from '../context.js'
import { type Column, renderTable } from './table.js'
import { formatCount } from './terminal-style.js'

interface Page<Row> {
  readonly data: readonly Row[]
  readonly pagination?: {
    readonly limit: number
    readonly offset: number
    readonly total: number
    readonly hasMore: boolean
  }
}

/** A list as the answer gave it: as it came, or a table, through the pager where it is long. What is not on the page is said on standard error. */
export async function printPage<Row>(
  { terminal, style }: Pick<Context, 'terminal' | 'style'>,
  options: CommonOptions,
  answer: ApiResponse<Page<Row>>,
  what: string,
  columns: readonly Column<Row>[],
): Promise<void> {
  if (options.json) {
    terminal.out(`${answer.text}\n`)
    return
  }
  const { data, pagination } = answer.body
  if (data.length === 0) {
    terminal.err(pagination !== undefined && pagination.total > 0 ? `No more ${what}.\n` : `No ${what}.\n`)
    return
  }
  const table = renderTable(style(), columns, data)
  await (terminal.page?.(table) ?? terminal.out(table))
  if (pagination?.hasMore) {
    const { offset, total } = pagination
    const next = offset + data.length
    terminal.err(
      `${formatCount(offset + 1)} to ${formatCount(next)} of ${formatCount(total)} ${what}; more with --offset ${next}\n`,
    )
  }
}
