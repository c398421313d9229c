import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Field } from './field'
import { GuardedButton } from './guarded-button'
import { type Range, rangeLabel } from './range'

const PRESETS = [1, 7, 30, 90, 365]

/** A button with the range, which opens presets and two fields. */
export function TimeRange(props: {
  readonly value: Range
  /** @default Time range */
  readonly label?: string
  /** Offers any time. */
  readonly any?: boolean
  readonly onChange: (range: Range) => void
}) {
  const { value, onChange } = props
  const id = useId()
  const [open, setOpen] = useState(false)
  const frame = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  function close(): void {
    setOpen(false)
    button.current?.focus()
  }
  useLayoutEffect(() => {
    if (!open) return
    frame.current?.querySelector<HTMLElement>('[aria-pressed="true"], .range-panel button')?.focus()
    frame.current?.querySelector('.range-panel')?.scrollIntoView({ block: 'nearest' })
    const leave = (event: Event): void => {
      if (!frame.current?.contains(event.target as Node)) setOpen(false)
    }
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') close()
    }
    document.addEventListener('pointerdown', leave)
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('pointerdown', leave)
      document.removeEventListener('keydown', onKey)
    }
  }, [open])
  function choose(range: Range): void {
    onChange(range)
    close()
  }
  return (
    <div class="field range" ref={frame}>
      <span class="legend" id={`${id}-label`}>
        {props.label ?? 'Time range'}
      </span>
      <button
        type="button"
        class="range-button"
        id={id}
        ref={button}
        aria-expanded={open}
        aria-labelledby={`${id}-label ${id}`}
        onClick={() => setOpen(!open)}
      >
        {rangeLabel(value)}
      </button>
      {open && <Panel value={value} any={props.any === true} choose={choose} />}
    </div>
  )
}

function Panel(props: {
  readonly value: Range
  readonly any: boolean
  readonly choose: (range: Range) => void
}) {
  const { value, choose } = props
  const [from, setFrom] = useState(toLocalInput(value.from === '' ? midnight(-value.days) : value.from))
  const [to, setTo] = useState(toLocalInput(value.to))
  const presets = props.any ? [...PRESETS, 0] : PRESETS
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be placed over the page
    <div class="range-panel" role="group" aria-label="Choose a time range">
      <div class="range-presets">
        {presets.map((days) => (
          <button
            key={days}
            type="button"
            class="button small"
            aria-pressed={value.from === '' && value.days === days}
            onClick={() => choose({ days, from: '', to: '' })}
          >
            {rangeLabel({ days, from: '', to: '' })}
          </button>
        ))}
      </div>
      <Field label="From" type="datetime-local" value={from} onChange={setFrom} />
      <Field label="To" type="datetime-local" value={to} hint="Left empty, it is now." onChange={setTo} />
      <GuardedButton
        tone="primary"
        small
        reason={
          from === ''
            ? 'Enter when it begins'
            : to !== '' && to <= from
              ? 'It ends before it begins'
              : undefined
        }
        onClick={() => choose({ ...value, from: fromLocalInput(from), to: fromLocalInput(to) })}
      >
        Apply
      </GuardedButton>
    </div>
  )
}

/** Midnight in the viewer's zone, `days` from today. */
function midnight(days: number): string {
  const at = new Date()
  at.setDate(at.getDate() + days)
  at.setHours(0, 0, 0, 0)
  return at.toISOString()
}

/** The value of a `datetime-local` field. */
function toLocalInput(iso: string): string {
  if (iso === '') return ''
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function fromLocalInput(text: string): string {
  return text === '' ? '' : new Date(text).toISOString()
}
