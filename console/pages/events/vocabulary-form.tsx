import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Checkbox } from '../../components/controls/checkbox'
import { Field } from '../../components/controls/field'
import { FormDialog } from '../../components/dialogs/form-dialog'
import { toast } from '../../components/toasts'

interface VocabularyChange {
  readonly description: string | null
  readonly hidden?: boolean
}

/** Describes and hides an event name or a property. */
export function VocabularyForm(props: {
  readonly name: string
  readonly description: string | null
  /** Undefined if it cannot be changed here. */
  readonly hidden: boolean | undefined
  readonly submit: (body: VocabularyChange, headers: Record<string, string>) => Promise<unknown>
  readonly saved: () => void
  readonly close: () => void
  readonly children?: ComponentChildren
}) {
  const { name } = props
  const [text, setText] = useState(props.description ?? '')
  const [hidden, setHidden] = useState(props.hidden)
  const description = text.trim() === '' ? null : text.trim()
  const body = { description, ...(hidden === undefined ? {} : { hidden }) }
  return (
    <FormDialog
      title={name}
      send="Save"
      intent={[name, body]}
      submit={(headers) => props.submit(body, headers)}
      done={() => {
        toast(`Saved ${name}`)
        props.saved()
      }}
      close={props.close}
    >
      <Field label="Description" value={text} maxLength={500} onChange={setText} />
      {hidden !== undefined && (
        <Checkbox checked={hidden} onChange={setHidden}>
          Leave it out of lists and suggestions
        </Checkbox>
      )}
      {props.children}
    </FormDialog>
  )
}
