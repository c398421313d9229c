import { useEffect, useId, useRef, useState } from 'preact/hooks'

export interface Choice {
  readonly value: string
  /** Said beside it, such as how often it occurs. */
  readonly note?: string
}

/** Of thousands of names only the first that fit are drawn: whoever looks for another one types more of it. */
const MOST_SHOWN = 50

/** A text field with suggestions. Anything can be typed; arrows, Enter and Escape work the list. */
export function Combobox(props: {
  readonly label: string
  readonly hideLabel?: boolean
  readonly value: string
  readonly choices: readonly Choice[]
  readonly placeholder?: string
  readonly onChange: (value: string) => void
}) {
  const id = useId()
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState(false)
  const [active, setActive] = useState(-1)
  const list = useRef<HTMLDivElement>(null)

  const wanted = typed ? props.value.trim().toLowerCase() : ''
  const fitting: Choice[] = []
  if (open)
    for (const choice of props.choices) {
      if (wanted !== '' && !choice.value.toLowerCase().includes(wanted)) continue
      fitting.push(choice)
      if (fitting.length === MOST_SHOWN) break
    }
  const shown = open && fitting.length > 0
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [active])

  function show(withTyped: boolean): void {
    setTyped(withTyped)
    setOpen(true)
  }
  function close(): void {
    setOpen(false)
    setActive(-1)
  }
  function choose(value: string): void {
    props.onChange(value)
    close()
  }
  function onKeyDown(event: KeyboardEvent): void {
    const chosen = fitting[active]
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (!open) {
        show(false)
        return
      }
      const step = event.key === 'ArrowDown' ? 1 : -1
      setActive((before) => (before + step + fitting.length) % Math.max(1, fitting.length))
    } else if (event.key === 'Enter' && shown && chosen !== undefined) {
      event.preventDefault()
      choose(chosen.value)
    } else if (event.key === 'Escape' && shown) {
      event.preventDefault()
      event.stopPropagation()
      close()
    }
  }

  return (
    <div class="field">
      <label for={id} class={props.hideLabel === true ? 'hidden-text' : ''}>
        {props.label}
      </label>
      <div class="combobox">
        <input
          id={id}
          type="text"
          role="combobox"
          autocomplete="off"
          spellcheck={false}
          aria-autocomplete="list"
          aria-expanded={shown}
          aria-controls={shown ? `${id}-list` : undefined}
          aria-activedescendant={shown && active >= 0 ? `${id}-${active}` : undefined}
          placeholder={props.placeholder}
          value={props.value}
          onInput={(event) => {
            props.onChange(event.currentTarget.value)
            setActive(-1)
            show(true)
          }}
          onFocus={() => show(false)}
          onClick={() => show(false)}
          onBlur={close}
          onKeyDown={onKeyDown}
        />
        {shown && (
          <div role="listbox" id={`${id}-list`} ref={list} aria-label="Suggestions">
            {fitting.map((choice, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the field's
              // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the option
              <div
                key={choice.value}
                role="option"
                id={`${id}-${index}`}
                aria-selected={index === active}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(choice.value)}
              >
                <span>{choice.value}</span>
                {choice.note !== undefined && <span class="muted small number">{choice.note}</span>}
              </div>
            ))}
          </div>
        )}
      </div>
    </div>
  )
}
