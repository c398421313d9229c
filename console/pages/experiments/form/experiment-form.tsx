import './form.css'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { slugOf } from '../../../../domain/slug.js'
import type { ApiError } from '../../../client/api-error'
import { Field } from '../../../components/controls/field'
import { PermissionButton } from '../../../components/controls/permission-button'
import { Select } from '../../../components/controls/select'
import { ErrorMessage } from '../../../components/loading/error-message'
import { useEventNames } from '../../../components/query/suggestions'
import type { ExperimentDraft } from './experiment-draft'
import { ChangesFields, SurfacesFields } from './places-fields'
import { PlanningFields } from './planning-fields'
import { type ProblemAt, problemsOf, unplaced } from './problems'
import { GuardrailsFields, TargetsFields } from './targets-fields'
import { VariantsFields } from './variants-fields'

interface FormProps {
  readonly draft: ExperimentDraft
  readonly change: (changes: Partial<ExperimentDraft>) => void
  /** A new one has all fields; of one that exists, those that may still change. */
  readonly of: 'new' | 'proposal' | 'approved'
  readonly failure: ApiError | undefined
  readonly busy: boolean
  readonly send: string
  readonly onSend: () => void
  readonly onCancel: () => void
  /** Loads what someone else has saved. */
  readonly reload?: () => void
  /** Beside the form. */
  readonly aside?: ComponentChildren
}

/** The fields of an experiment. Each problem that the API finds is at its field. */
export function ExperimentForm(props: FormProps) {
  const { draft, change, failure } = props
  const names = useEventNames()
  const problemAt = problemsOf(failure)
  const form = useFocusProblem(failure)
  return (
    <div class={props.aside === undefined ? 'stack' : 'form-beside'}>
      <div class="stack" ref={form}>
        {props.of !== 'approved' && (
          <IdeaFields draft={draft} hasKey={props.of === 'new'} problemAt={problemAt} change={change} />
        )}
        <VariantsFields
          variants={draft.variants}
          areNamed={props.of !== 'new'}
          problemAt={problemAt}
          onChange={(variants) => change({ variants })}
        />
        <TargetsFields
          rows={draft.targets}
          names={names}
          offset={0}
          problemAt={problemAt}
          onChange={(targets) => change({ targets })}
        />
        <GuardrailsFields
          rows={draft.guardrails}
          names={names}
          offset={draft.targets.length}
          problemAt={problemAt}
          onChange={(guardrails) => change({ guardrails })}
        />
        <PlanningFields draft={draft} names={names} problemAt={problemAt} change={change} />
        {props.of === 'new' && <PlacesFields {...props} problemAt={problemAt} />}
        <Send {...props} />
      </div>
      {props.aside}
    </div>
  )
}

function PlacesFields(props: FormProps & { readonly problemAt: ProblemAt }) {
  const { draft, change, problemAt } = props
  return (
    <>
      <SurfacesFields
        surfaces={draft.surfaces}
        overlaps={props.failure?.code === 'SURFACE_OVERLAP' || draft.acknowledgeOverlap}
        acknowledged={draft.acknowledgeOverlap}
        acknowledge={(acknowledgeOverlap) => change({ acknowledgeOverlap })}
        problemAt={problemAt}
        onChange={(surfaces) => change({ surfaces })}
      />
      <ChangesFields
        changes={draft.changes}
        variants={draft.variants}
        problemAt={problemAt}
        onChange={(changes) => change({ changes })}
      />
    </>
  )
}

function Send(props: FormProps) {
  const { failure, reload } = props
  const rest = unplaced(failure)
  return (
    <>
      {rest !== undefined && <ErrorMessage failure={rest} reload={reload} />}
      {failure !== undefined && rest === undefined && (
        <p role="alert" class="notice bad">
          It was not saved. The fields above say what to change.
        </p>
      )}
      <div class="row end">
        <button type="button" class="button" onClick={props.onCancel}>
          Cancel
        </button>
        <PermissionButton scope="experiments.manage" tone="primary" busy={props.busy} onClick={props.onSend}>
          {props.busy ? 'One moment…' : props.send}
        </PermissionButton>
      </div>
    </>
  )
}

/** Focuses the first field with a problem after each failure. */
function useFocusProblem(failure: ApiError | undefined) {
  const form = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (failure !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [failure])
  return form
}

function IdeaFields(props: {
  readonly draft: ExperimentDraft
  readonly hasKey: boolean
  readonly problemAt: ProblemAt
  readonly change: (changes: Partial<ExperimentDraft>) => void
}) {
  const { draft, problemAt, change } = props
  return (
    <section class="card" aria-label="Idea">
      <h2>Idea</h2>
      <Field
        label="Name"
        value={draft.name}
        maxLength={200}
        problem={problemAt('/name')}
        onChange={(name) => change({ name })}
      />
      {props.hasKey && (
        <Field
          label="Key"
          value={draft.key}
          maxLength={64}
          placeholder={draft.name.trim() === '' ? 'made from the name' : slugOf(draft.name, 'experiment')}
          hint="Names the experiment in code and events. It cannot change later."
          problem={problemAt('/key')}
          onChange={(key) => change({ key })}
        />
      )}
      <Field
        label="Hypothesis"
        value={draft.hypothesis}
        lines={3}
        maxLength={2_000}
        placeholder="Because …, visitors who see … will …"
        problem={problemAt('/hypothesis')}
        onChange={(hypothesis) => change({ hypothesis })}
      />
      <div class="columns">
        <Field
          label="Why it should work"
          value={draft.mechanism}
          problem={problemAt('/mechanism')}
          onChange={(mechanism) => change({ mechanism })}
        />
        <Select
          label="Priority"
          value={draft.priority}
          options={{ high: 'High', medium: 'Medium', low: 'Low' }}
          onChange={(priority) => change({ priority })}
        />
      </div>
      <Field
        label="Notes"
        value={draft.notes}
        lines={2}
        problem={problemAt('/notes')}
        onChange={(notes) => change({ notes })}
      />
    </section>
  )
}
