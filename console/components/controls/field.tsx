import { useId } from 'preact/hooks'

/** A labelled text field; with `lines` a text area. */
export function Field(props: {
  readonly label: string
  readonly hideLabel?: boolean
  readonly value: string
  readonly type?: 'text' | 'search' | 'number' | 'date' | 'datetime-local' | 'email' | 'url'
  readonly lines?: number
  readonly hint?: string
  readonly problem?: string | undefined
  readonly placeholder?: string
  readonly maxLength?: number
  readonly required?: boolean
  readonly onChange: (value: string) => void
}) {
  const id = useId()
  const described = props.hint !== undefined || props.problem !== undefined ? `${id}-hint` : undefined
  const shared = {
    id,
    value: props.value,
    placeholder: props.placeholder,
    maxLength: props.maxLength,
    required: props.required,
    'aria-describedby': described,
    'aria-invalid': props.problem !== undefined,
  }
  return (
    <div class="field">
      <label for={id} class={props.hideLabel === true ? 'hidden-text' : ''}>
        {props.label}
      </label>
      {props.lines === undefined ? (
        <input
          {...shared}
          type={props.type ?? 'text'}
          aria-keyshortcuts={props.type === 'search' ? '/' : undefined}
          autocomplete="off"
          onInput={(event) => props.onChange(event.currentTarget.value)}
        />
      ) : (
        <textarea
          {...shared}
          rows={props.lines}
          onInput={(event) => props.onChange(event.currentTarget.value)}
        />
      )}
      {described !== undefined && (
        <p id={described} class={props.problem === undefined ? 'hint' : 'problem'}>
          {props.problem ?? props.hint}
        </p>
      )}
    </div>
  )
}
