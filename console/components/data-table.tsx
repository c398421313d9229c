import type { ComponentChildren } from 'preact'
import { ScrollableTable } from './scrollable-table'

interface DataColumn<Row> {
  readonly title: string
  /** `wide-only` is left out on phones. */
  readonly class?: 'number' | 'nowrap' | 'long' | 'name' | 'nowrap wide-only'
  /** The cell is the heading of its row. */
  readonly isHeading?: boolean
  readonly cell: (row: Row, index: number) => ComponentChildren
}

export function DataTable<Row>(props: {
  readonly label: string
  readonly caption?: string
  /** Limits the height. */
  readonly low?: boolean
  readonly columns: readonly DataColumn<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string | number
}) {
  const { columns } = props
  return (
    <ScrollableTable label={props.label} low={props.low === true}>
      <table>
        {props.caption !== undefined && <caption class="hidden-text">{props.caption}</caption>}
        <thead>
          <tr>
            {columns.map((column, at) => (
              <th
                key={at}
                scope="col"
                class={column.class === 'number' || column.class === 'nowrap wide-only' ? column.class : ''}
              >
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row, index) => (
            <tr key={props.keyOf(row)}>
              {columns.map((column, at) =>
                column.isHeading === true ? (
                  <th key={at} scope="row" class={column.class ?? ''}>
                    {column.cell(row, index)}
                  </th>
                ) : (
                  <td key={at} class={column.class ?? ''}>
                    {column.cell(row, index)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollableTable>
  )
}
