/** Buttons of which one is pressed. */
export function Tabs<Value extends string>(props: {
  readonly legend: string
  readonly small?: boolean
  readonly value: Value
  readonly options: Readonly<Record<Value, string>>
  readonly onChange: (value: Value) => void
}) {
  return (
    <fieldset class="tabs">
      <legend class="hidden-text">{props.legend}</legend>
      {(Object.entries(props.options) as [Value, string][]).map(([value, name]) => (
        <button
          key={value}
          type="button"
          class={`button ${props.small === true ? 'small' : ''}`}
          aria-pressed={value === props.value}
          onClick={() => props.onChange(value)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  )
}
