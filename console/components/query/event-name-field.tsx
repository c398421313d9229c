import { Combobox } from '../controls/combobox'
import { type EventNames, useNamesLike } from './suggestions'

/** A text field for the name of an event, with suggestions. */
export function EventNameField(props: {
  readonly label: string
  readonly value: string
  readonly names: EventNames
  readonly placeholder?: string
  readonly hint?: string
  readonly problem?: string | undefined
  readonly onChange: (value: string) => void
}) {
  const { names, placeholder = 'event name', ...rest } = props
  return <Combobox {...rest} placeholder={placeholder} choices={useNamesLike(names, props.value)} />
}
