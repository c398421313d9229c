import type { ComponentChildren } from 'preact'
import { useFocusAdded } from '../../../components/controls/use-focus-added'

/** A list of rows of fields that grows and shrinks. */
export function ListFields<Row>(props: {
  readonly rows: readonly Row[]
  /** "Remove the surface", for example. */
  readonly what: string
  /** Rows that stay. @default 0 */
  readonly min?: number
  readonly max: number
  readonly empty: Row
  readonly add?: string
  readonly onChange: (rows: readonly Row[]) => void
  readonly children: (row: Row, index: number, change: (changes: Partial<Row>) => void) => ComponentChildren
}) {
  const { rows, what, min = 0, max, onChange } = props
  const list = useFocusAdded<HTMLUListElement>(rows.length, true)
  return (
    <>
      {rows.length > 0 && (
        <ul role="list" class="form-rows" ref={list}>
          {rows.map((row, index) => (
            <li key={index} class="form-row">
              {props.children(row, index, (changes) =>
                onChange(rows.map((one, at) => (at === index ? { ...one, ...changes } : one))),
              )}
              {rows.length > min && (
                <button
                  type="button"
                  class="button quiet small"
                  onClick={() => onChange(rows.filter((_, at) => at !== index))}
                >
                  Remove
                  <span class="hidden-text">
                    {' '}
                    {what} {index + 1}
                  </span>
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {rows.length < max && (
        <div>
          <button type="button" class="button small" onClick={() => onChange([...rows, props.empty])}>
            {props.add ?? `Add ${what}`}
          </button>
        </div>
      )}
    </>
  )
}
