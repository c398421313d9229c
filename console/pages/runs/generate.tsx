import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { api, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
import { Checkbox } from '../../components/controls/checkbox'
import { Field } from '../../components/controls/field'
import { PermissionButton } from '../../components/controls/permission-button'
import { FormDialog } from '../../components/dialogs/form-dialog'
import { toast } from '../../components/toasts'

/** A batch of proposals needs a repository, and something that has ideas. */
const NEEDED: readonly string[] = ['repository', 'generator']

/** Opens the dialog; until the workspace is ready it says what is missing. */
export function GenerateButton(props: { readonly done?: () => void }) {
  const [open, setOpen] = useState(false)
  const { data } = useResource('readiness', (signal) => unwrap(api.GET('/readiness', { signal })))
  const missing = data?.checks.filter(({ code, ok }) => !ok && NEEDED.includes(code)) ?? []
  return (
    <>
      <PermissionButton
        scope="proposals.review"
        reason={missing.length === 0 ? undefined : missing.map(({ message }) => message).join('. ')}
        onClick={() => setOpen(true)}
      >
        Generate proposals…
      </PermissionButton>
      {open && <GenerateDialog close={() => setOpen(false)} done={props.done} />}
    </>
  )
}

function GenerateDialog(props: { readonly close: () => void; readonly done: (() => void) | undefined }) {
  const [count, setCount] = useState('5')
  const [focus, setFocus] = useState('')
  const [replace, setReplace] = useState(false)
  const [, navigate] = useLocation()
  const wanted = Number(count)
  const fits = Number.isInteger(wanted) && wanted >= 1 && wanted <= 20
  const body = {
    count: wanted,
    ...(focus.trim() === '' ? {} : { focus: focus.trim() }),
    ...(replace ? { replace } : {}),
  }
  return (
    <FormDialog
      title="Generate proposals"
      send="Generate"
      missing={!fits && 'Enter a number from 1 to 20'}
      intent={body}
      submit={(headers) => unwrap(api.POST('/experiments/generate', { body, headers }))}
      done={() => {
        toast('Proposals are being generated')
        props.close()
        props.done?.()
        navigate('/runs')
      }}
      close={props.close}
    >
      <Field
        label="How many"
        type="number"
        value={count}
        problem={fits ? undefined : 'A whole number from 1 to 20'}
        onChange={setCount}
      />
      <Field
        label="Focus"
        value={focus}
        lines={2}
        hint="Optional: what to look at, such as a page or a target."
        onChange={setFocus}
      />
      <Checkbox checked={replace} onChange={setReplace}>
        Replace the pending proposals once the new ones are there
      </Checkbox>
    </FormDialog>
  )
}
