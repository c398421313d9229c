import type { Answer } from '../client/api.js'
import type { Common, Context } from '../context.js'
import { whole } from './look.js'
import { type Column, renderTable } from './table.js'

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
export async function showPage<Row>(
  { terminal, look }: Pick<Context, 'terminal' | 'look'>,
  options: Common,
  answer: Answer<Page<Row>>,
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
  const table = renderTable(look(), columns, data)
  await (terminal.page?.(table) ?? terminal.out(table))
  if (pagination?.hasMore) {
    const { offset, total } = pagination
    const next = offset + data.length
    terminal.err(
      `${whole(offset + 1)} to ${whole(next)} of ${whole(total)} ${what}; more with --offset ${next}\n`,
    )
  }
}
