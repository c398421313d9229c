import { useState } from 'preact/hooks'
import { api, type Schema, unwrap } from '../../../client/api'
import { Checkbox } from '../../../components/controls/checkbox'
import { Field } from '../../../components/controls/field'
import { Select } from '../../../components/controls/select'
import { FormDialog } from '../../../components/dialogs/form-dialog'
import { toast } from '../../../components/toasts'
import { decisionWarnings } from '../results/data-quality'

type Detail = Schema<'ExperimentDetail'>

interface DialogProps {
  readonly experiment: Detail
  readonly close: () => void
  readonly done: () => void
}

function DecisionWarnings(props: { readonly results: Detail['results']; readonly variant: string | null }) {
  const warnings = decisionWarnings(props.results, props.variant)
  if (warnings.length === 0) return <p class="notice good">The results do not contradict this decision.</p>
  return (
    <div class="notice bad" role="alert">
      <strong>It is not safe to decide this yet</strong>
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </div>
  )
}

/** Ships a variant or rejects. A settling decision can be forced but not changed. */
export function DecideDialog(props: DialogProps) {
  const { experiment } = props
  const settling = experiment.status === 'settling'
  const others = experiment.variants.filter(({ isControl }) => !isControl)
  const best = bestVariant(experiment)
  const [choice, setChoice] = useState(
    experiment.decision === null
      ? (best ?? others[0]?.key ?? '')
      : experiment.decision.outcome === 'reject'
        ? ''
        : (experiment.decision.variant ?? ''),
  )
  const [reason, setReason] = useState('')
  const [force, setForce] = useState(settling)
  const shared = {
    ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
    ...(force ? { force: true } : {}),
  }
  const body =
    choice === ''
      ? { outcome: 'reject' as const, ...shared }
      : { outcome: 'ship' as const, variant: choice, ...shared }
  return (
    <FormDialog
      title={settling ? 'Settle the decision now?' : `Decide on ${experiment.name}`}
      send={settling ? 'Settle now' : choice === '' ? 'Reject' : 'Ship'}
      intent={[experiment.id, body]}
      of={experiment}
      reload={props.done}
      submit={(headers) =>
        unwrap(
          api.POST('/experiments/{id}/decide', { params: { path: { id: experiment.id } }, body, headers }),
        )
      }
      done={() => {
        toast(`Decided: ${choice === '' ? 'reject' : `ship ${variantName(experiment, choice)}`}`)
        props.done()
      }}
      close={props.close}
    >
      {!settling && (
        <Select
          label="Decision"
          value={choice}
          options={[
            ...others.map(({ key, displayName }) => [key, `Ship ${displayName}`] as const),
            ['', 'Reject: everything stays as it was'],
          ]}
          onChange={setChoice}
        />
      )}
      <DecisionWarnings results={experiment.results} variant={choice === '' ? null : choice} />
      {!settling && <Field label="Reason" value={reason} lines={3} maxLength={2000} onChange={setReason} />}
      {settling ? (
        <p>Results are frozen now, without waiting for late conversions.</p>
      ) : (
        <Checkbox checked={force} onChange={setForce}>
          At once, without waiting for late conversions
        </Checkbox>
      )}
    </FormDialog>
  )
}

export function ShipDialog(props: DialogProps) {
  const { experiment } = props
  const others = experiment.variants.filter(({ isControl }) => !isControl)
  const [variant, setVariant] = useState(bestVariant(experiment) ?? others[0]?.key ?? '')
  return (
    <FormDialog
      title={`Ship ${experiment.name} at once?`}
      send="Ship"
      intent={[experiment.id, variant]}
      of={experiment}
      reload={props.done}
      submit={(headers) =>
        unwrap(
          api.POST('/experiments/{id}/ship', {
            params: { path: { id: experiment.id } },
            body: { variant },
            headers,
          }),
        )
      }
      done={() => {
        toast(`Shipped ${variantName(experiment, variant)}`)
        props.done()
      }}
      close={props.close}
    >
      <Select
        label="Variant"
        value={variant}
        options={others.map(({ key, displayName }) => [key, displayName] as const)}
        onChange={setVariant}
      />
      <p>
        Results are frozen now, without waiting for late conversions, and the cleanup pull request is opened.
      </p>
      <DecisionWarnings results={experiment.results} variant={variant} />
    </FormDialog>
  )
}

/** The variant with the highest chance to win on the primary target. */
function bestVariant(experiment: Detail): string | undefined {
  const primary = experiment.results?.targets.find((target) => target.primary)
  return [...(primary?.variants ?? [])]
    .filter(({ vsControl }) => vsControl?.chanceToWin != null)
    .sort((a, b) => (b.vsControl?.chanceToWin ?? 0) - (a.vsControl?.chanceToWin ?? 0))[0]?.key
}

const variantName = (experiment: Detail, variant: string): string =>
  experiment.variants.find(({ key }) => key === variant)?.displayName ?? variant
