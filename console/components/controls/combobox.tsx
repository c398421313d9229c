import { useEffect, useId, useRef, useState } from 'preact/hooks'

export interface ComboboxOption {
  readonly value: string
  /** Shown beside the value, such as its count. */
  readonly note?: string
  /** Shown after the value, and found by what is typed. */
  readonly description?: string | null
}

/** More matches are not drawn; typing narrows them down. */
const MAX_SHOWN = 50

/** State of the suggestions: which are shown, which one is active, and what keys do. */
function useSuggestions(
  value: string,
  choices: readonly ComboboxOption[],
  onChange: (value: string) => void,
) {
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState(false)
  const [active, setActive] = useState(-1)
  const list = useRef<HTMLDivElement>(null)

  const wanted = typed ? value.trim().toLowerCase() : ''
  const matches: ComboboxOption[] = []
  if (open)
    for (const choice of choices) {
      const text = `${choice.value} ${choice.description ?? ''}`.toLowerCase()
      if (wanted !== '' && !text.includes(wanted)) continue
      matches.push(choice)
      if (matches.length === MAX_SHOWN) break
    }
  const shown = open && matches.length > 0
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
  function choose(chosen: string): void {
    onChange(chosen)
    close()
  }
  function onKeyDown(event: KeyboardEvent): void {
    const chosen = matches[active]
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (!open) {
        show(false)
        return
      }
      const step = event.key === 'ArrowDown' ? 1 : -1
      setActive((before) => (before + step + matches.length) % Math.max(1, matches.length))
    } else if (event.key === 'Enter' && shown) {
      event.preventDefault()
      if (chosen === undefined) close()
      else choose(chosen.value)
    } else if (event.key === 'Escape' && shown) {
      event.preventDefault()
      event.stopPropagation()
      close()
    }
  }
  function onInput(text: string): void {
    onChange(text)
    setActive(-1)
    show(true)
  }
  return { list, matches, shown, active, show, close, choose, onInput, onKeyDown }
}

/** A text field with suggestions. Any text is valid; arrows, Enter and Escape work the list. */
export function Combobox(props: {
  readonly label: string
  readonly hideLabel?: boolean
  readonly value: string
  readonly choices: readonly ComboboxOption[]
  readonly placeholder?: string
  readonly hint?: string
  readonly problem?: string | undefined
  readonly onChange: (value: string) => void
}) {
  const id = useId()
  const note = props.problem ?? props.hint
  const { list, matches, shown, active, ...on } = useSuggestions(props.value, props.choices, props.onChange)
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
          aria-describedby={note === undefined ? undefined : `${id}-hint`}
          aria-invalid={props.problem !== undefined}
          value={props.value}
          onInput={(event) => on.onInput(event.currentTarget.value)}
          onFocus={() => on.show(false)}
          onClick={() => on.show(false)}
          onBlur={on.close}
          onKeyDown={on.onKeyDown}
        />
        {shown && (
          <div role="listbox" id={`${id}-list`} ref={list} aria-label="Suggestions">
            {matches.map((choice, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the field's
              // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
              <div
                key={choice.value}
                role="option"
                id={`${id}-${index}`}
                aria-selected={index === active}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => on.choose(choice.value)}
              >
                <span>
                  {choice.value}
                  {choice.description != null && <bdi class="muted small">{choice.description}</bdi>}
                </span>
                {choice.note !== undefined && <span class="muted small number">{choice.note}</span>}
              </div>
            ))}
          </div>
        )}
      </div>
      {note !== undefined && (
        <p id={`${id}-hint`} class={props.problem === undefined ? 'hint' : 'problem'}>
          {note}
        </p>
      )}
    </div>
  )
}
