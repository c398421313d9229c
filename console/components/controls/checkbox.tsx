import type { ComponentChildren } from 'preact'

export function Checkbox(props: {
  readonly checked: boolean
  readonly disabled?: boolean
  readonly onChange: (checked: boolean) => void
  readonly children: ComponentChildren
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.checked}
        // Focusable, so that its text can be read.
        aria-disabled={props.disabled === true}
        onClick={(event) => props.disabled === true && event.preventDefault()}
        onChange={(event) => {
          if (props.disabled !== true) props.onChange(event.currentTarget.checked)
        }}
      />
      {props.children}
    </label>
  )
}
