import type { useQueryParams } from '../../client/query-params'
import { Select } from './select'

/** Keeps a parameter of the address in step with a choice, of which "Any" is one. */
export function FilterSelect(props: {
  readonly address: ReturnType<typeof useQueryParams>
  readonly name: string
  readonly label: string
  readonly options: Readonly<Record<string, string>>
}) {
  const [params, change] = props.address
  return (
    <Select
      label={props.label}
      value={params.get(props.name) ?? ''}
      options={{ '': 'Any', ...props.options }}
      onChange={(value) => change({ [props.name]: value === '' ? null : value, offset: null })}
    />
  )
}
