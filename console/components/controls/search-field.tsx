import { useEffect, useState } from 'preact/hooks'
import type { useQueryParams } from '../../client/query-params'
import { Field } from './field'
import { useDebounced } from './use-debounced'

const TYPING_MS = 200

/** Keeps the `search` parameter of the address in step with the field. */
export function SearchField(props: {
  readonly address: ReturnType<typeof useQueryParams>
  /** @default "Search" */
  readonly label?: string
  readonly placeholder?: string
}) {
  const [params, change] = props.address
  const there = params.get('search') ?? ''
  const [typed, setTyped] = useState(there)
  const settled = useDebounced(typed, TYPING_MS)
  useEffect(() => {
    const wanted = settled.trim()
    if (wanted !== there) change({ search: wanted === '' ? null : wanted, offset: null })
  }, [settled])
  useEffect(() => {
    if (there !== typed.trim() && typed === settled) setTyped(there)
  }, [there])
  return (
    <Field
      label={props.label ?? 'Search'}
      type="search"
      value={typed}
      maxLength={200}
      {...(props.placeholder === undefined ? {} : { placeholder: props.placeholder })}
      onChange={setTyped}
    />
  )
}
