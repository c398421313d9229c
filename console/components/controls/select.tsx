import { useId } from 'preact/hooks'

export function Select<Value extends string>(props: {
  readonly label: string
  readonly hideLabel?: boolean
  readonly value: Value
  /** Names by value; a list where the order of numbers counts. */
  readonly options: Readonly<Record<Value, string>> | readonly (readonly [Value, string])[]
  readonly onChange: (value: Value) => void
}) {
  const id = useId()
  const options: readonly (readonly [string, string])[] = Array.isArray(props.options)
    ? props.options
    : Object.entries(props.options)
  return (
    <div class="field">
      <label for={id} class={props.hideLabel === true ? 'hidden-text' : ''}>
        {props.label}
      </label>
      <select
        id={id}
        value={props.value}
        onChange={(event) => props.onChange(event.currentTarget.value as Value)}
      >
        {options.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}
