import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { api, ifMatch, type Schema, unwrap } from '../../client/api'
import { changedError } from '../../client/api-error'
import { useMutation } from '../../client/mutation'
import { Field } from '../../components/controls/field'
import { PermissionButton } from '../../components/controls/permission-button'
import { ErrorMessage } from '../../components/loading/error-message'
import { formatSeconds } from '../../components/text/format'
import { Time } from '../../components/text/time'
import { toast } from '../../components/toasts'
import { FrozenResultsView } from '../experiments/results/results-view'

type Learning = Schema<'Learning'>

const DECISIONS = {
  ship: ['Shipped', 'good'],
  reject: ['Rejected', 'bad'],
  conclude: ['Concluded', ''],
} as const

/** A learning: its interpretation can be edited and reviewed, its evidence cannot. */
export function LearningCard(props: {
  readonly learning: Learning
  readonly open: boolean
  readonly toggle: (open: boolean) => void
  readonly changed: () => void
}) {
  const { learning, open } = props
  const [text, setText] = useState<string | undefined>(undefined)
  const write = useSaving(learning, () => {
    setText(undefined)
    props.changed()
  })
  const reload = (): void => {
    write.reset()
    props.changed()
  }
  return (
    <li class="card">
      <Head
        learning={learning}
        busy={write.busy}
        review={(reviewStatus) =>
          void write.save({
            reviewStatus,
            ...(reviewStatus === 'draft' || text === undefined ? {} : { interpretation: text }),
          })
        }
        edit={text === undefined ? () => setText(learning.interpretation) : undefined}
      />
      {text === undefined ? (
        <p class="text" dir="auto">
          {learning.interpretation === '' ? (
            <span class="muted">No interpretation yet.</span>
          ) : (
            learning.interpretation
          )}
        </p>
      ) : (
        <InterpretationForm
          text={text}
          busy={write.busy}
          change={setText}
          save={() => void write.save({ interpretation: text })}
          cancel={() => setText(undefined)}
        />
      )}
      {write.failure !== undefined && <ErrorMessage failure={write.failure} reload={reload} />}
      <details
        open={open}
        onToggle={(event) => {
          // Also fires after the address changed it.
          if (event.currentTarget.open !== open) props.toggle(event.currentTarget.open)
        }}
      >
        <summary>Evidence</summary>
        {open && <Evidence learning={learning} />}
      </details>
    </li>
  )
}

function useSaving(learning: Learning, done: () => void) {
  /** The version of the last save here, before the list shows it. */
  const [savedAt, setSavedAt] = useState('')
  const write = useMutation()
  async function save(changes: {
    interpretation?: string
    reviewStatus?: 'draft' | 'approved'
  }): Promise<void> {
    const params = { path: { id: learning.id } }
    const saved = await write.run(JSON.stringify(changes), async () => {
      // The list has no ETags.
      const now = await unwrap(api.GET('/learnings/{id}', { params }))
      if (now.updatedAt !== latest(learning.updatedAt, savedAt)) throw changedError()
      return unwrap(api.PATCH('/learnings/{id}', { params, body: changes, headers: ifMatch(now) }))
    })
    if (!saved.ok) return
    setSavedAt(saved.data.updatedAt)
    toast(
      changes.reviewStatus === undefined
        ? 'Saved'
        : changes.reviewStatus === 'approved'
          ? 'Approved'
          : 'Back to a draft',
    )
    done()
  }
  return { ...write, save }
}

/** Times in one form are ordered as texts. */
function latest(one: string, other: string): string {
  return one > other ? one : other
}

/** `edit` is undefined while the text is being edited. */
function Head(props: {
  readonly learning: Learning
  readonly busy: boolean
  readonly review: (status: 'draft' | 'approved') => void
  readonly edit: (() => void) | undefined
}) {
  const { learning, busy } = props
  const [decision, tone] = DECISIONS[learning.decision]
  const isDraft = learning.reviewStatus === 'draft'
  return (
    <div class="page-head">
      <div>
        <h2>
          <bdi>{learning.title}</bdi>
        </h2>
        <p class="row small muted">
          <span class={`badge ${tone}`}>{decision}</span>
          <span class={`badge plain ${isDraft ? 'warn' : 'good'}`}>
            {isDraft ? 'Draft, to be reviewed' : 'Reviewed'}
          </span>
          <Time at={learning.createdAt} />
          <Link href={`/experiments/${learning.experimentKey}`}>{learning.experimentKey}</Link>
        </p>
      </div>
      <div class="row">
        {isDraft ? (
          <PermissionButton
            scope="experiments.decide"
            tone="primary"
            small
            busy={busy}
            onClick={() => props.review('approved')}
          >
            Approve<span class="hidden-text"> {learning.title}</span>
          </PermissionButton>
        ) : (
          <PermissionButton
            scope="experiments.decide"
            small
            busy={busy}
            onClick={() => props.review('draft')}
          >
            Back to draft<span class="hidden-text"> {learning.title}</span>
          </PermissionButton>
        )}
        {props.edit !== undefined && (
          <PermissionButton scope="experiments.decide" small onClick={props.edit}>
            Edit<span class="hidden-text"> {learning.title}</span>
          </PermissionButton>
        )}
      </div>
    </div>
  )
}

function InterpretationForm(props: {
  readonly text: string
  readonly busy: boolean
  readonly change: (text: string) => void
  readonly save: () => void
  readonly cancel: () => void
}) {
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        props.save()
      }}
    >
      <Field label="Interpretation" value={props.text} lines={6} maxLength={10_000} onChange={props.change} />
      <div class="row">
        <button type="submit" class="button primary small" disabled={props.busy}>
          Save
        </button>
        <button type="button" class="button small" onClick={props.cancel}>
          Cancel
        </button>
      </div>
    </form>
  )
}

/** The parts of the evidence shown here. Old evidence may lack some. */
interface EvidenceParts {
  readonly experiment?: {
    readonly variants?: readonly Schema<'Variant'>[]
    readonly conversionTargets?: readonly Schema<'ConversionTarget'>[]
  }
  readonly results?: Schema<'Results'> | null
  readonly frozenAt?: string
  readonly lagSeconds?: number | null
}

function Evidence(props: { readonly learning: Learning }) {
  const { learning } = props
  const { experiment, results, frozenAt, lagSeconds } = learning.evidence as EvidenceParts
  return (
    <div class="stack">
      {results == null ? (
        <p class="muted">Nothing was measured.</p>
      ) : (
        <FrozenResultsView
          results={results}
          variants={experiment?.variants ?? []}
          targets={experiment?.conversionTargets ?? []}
        />
      )}
      <p class="small muted">
        {frozenAt !== undefined && (
          <>
            Frozen <Time at={frozenAt} as="exact" />
            {lagSeconds != null && `, ${formatSeconds(lagSeconds)} behind what had been sent`}.{' '}
          </>
        )}
        SHA-256 <code>{learning.evidenceHash}</code>
      </p>
    </div>
  )
}
