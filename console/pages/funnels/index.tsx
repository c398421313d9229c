import '../../styles/funnels.css'
import { useMemo, useRef, useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { pluralize } from '../../../domain/text/format.js'
import { useAddressState } from '../../client/address-state'
import { api, type Schema, unwrap } from '../../client/api'
import { searchOf } from '../../client/query-params'
import { type Resource, useResource } from '../../client/resource'
import { PermissionButton } from '../../components/controls/permission-button'
import { canSaveRange } from '../../components/controls/range'
import { useDebounced } from '../../components/controls/use-debounced'
import { ResourceView } from '../../components/loading/resource-view'
import { Page } from '../../components/page'
import { isEventName } from '../../components/query/event-name'
import {
  type EventProperty,
  mergeProperties,
  useEventNames,
  useMissingNames,
  useProperties,
} from '../../components/query/suggestions'
import { useTyping } from '../../components/query/use-typing'
import {
  emptyDraft,
  type FunnelDraft,
  fromFunnel,
  fromQueryParams,
  isComplete,
  namedSteps,
  queryOf,
  savedFunnelQuery,
  savedOf,
  stepsOf,
  toQueryParams,
} from '../insights/funnel-draft'
import { SaveInsightDialog } from '../insights/save-insight-dialog'
import { Commands } from './commands'
import { FunnelOptions } from './funnel-options'
import { BreakdownTable, QueryCost, StepBars, StepTable, Summary } from './results'
import { DeleteDialog, SaveDialog } from './save-dialog'
import { Steps } from './steps'
import { Trend } from './trend'

type Funnel = Schema<'Funnel'>
const TYPING_MS = 300

export default function FunnelsPage(props: { readonly id?: string }) {
  const { id } = props
  const list = useResource('funnels', (signal) => unwrap(api.GET('/funnel', { signal })))
  const funnel = useResource(id ?? null, (signal) =>
    unwrap(api.GET('/funnel/{funnelId}', { params: { path: { funnelId: id ?? '' } }, signal })),
  )
  if (id === undefined) return <Builder funnel={undefined} list={list} />
  if (funnel.data === undefined)
    return (
      <Page title="Funnel">
        <ResourceView of={funnel} what="funnel">
          {() => null}
        </ResourceView>
      </Page>
    )
  return <Builder funnel={funnel.data} list={list} load={funnel} />
}

interface BuilderProps {
  readonly funnel: Funnel | undefined
  readonly list: Resource<Schema<'FunnelList'>>
  /** Undefined without a funnel. */
  readonly load?: Resource<Funnel>
}

function Builder(props: BuilderProps) {
  const { funnel, list } = props
  const base = useMemo(() => (funnel === undefined ? undefined : fromFunnel(funnel)), [funnel])
  const [draft, change] = useAddressState<FunnelDraft>(
    (params) => fromQueryParams(params, base),
    (state) => toQueryParams(state, base),
  )
  const names = useEventNames()
  const eventNames = [...namedSteps(draft), ...draft.exclusions]
    .map(({ eventName }) => eventName.trim())
    .filter(isEventName)
  const properties = useProperties(eventNames)
  const all = mergeProperties(properties.values())
  const { missing, neverReceived } = useMissingNames(names, eventNames)
  const [wasComplete] = useState(isComplete(draft))
  const [dialog, setDialog] = useState<DialogName | undefined>(undefined)
  const result = useFigures(draft, useTyping() && !isWhole(draft, missing, all))
  const edited =
    base !== undefined && JSON.stringify(savedOf(draft, base)) !== JSON.stringify(savedOf(base, base))

  return (
    <Page
      title={funnel?.name ?? 'Funnels'}
      lead={
        funnel === undefined
          ? 'How many persons go from one event to the next, and where they drop off.'
          : funnel.description || <Link href="/funnels">All funnels</Link>
      }
      actions={funnel !== undefined && <Actions edited={edited} ask={setDialog} />}
    >
      <SavedFunnels list={list} current={funnel?.id} />
      <div class={`funnel${wasComplete ? ' results-first' : ''}`}>
        <div class="stack">
          <section class="card" aria-label="Steps">
            <Steps draft={draft} names={names} properties={properties} onChange={change} />
          </section>
          <section class="card" aria-label="Query">
            <FunnelOptions draft={draft} names={names} properties={all} onChange={change} />
          </section>
          {isComplete(draft) && (
            <div class="row">
              <PermissionButton
                scope="funnels.manage"
                tone={funnel === undefined ? 'primary' : ''}
                onClick={() => setDialog('create')}
              >
                {funnel === undefined ? 'Save funnel' : 'Save as another'}
              </PermissionButton>
              <PermissionButton scope="funnels.manage" onClick={() => setDialog('insight')}>
                Put on a dashboard…
              </PermissionButton>
              <button type="button" class="button quiet" onClick={() => change(base ?? emptyDraft)}>
                {funnel === undefined ? 'Start over' : 'Undo changes'}
              </button>
            </div>
          )}
        </div>
        <div class="stack">
          <FunnelResults
            draft={draft}
            result={result}
            names={names.total}
            unknown={neverReceived}
            savedId={edited || draft.experiment !== '' ? undefined : funnel?.id}
          />
          {isComplete(draft) && <Commands draft={draft} funnel={edited ? undefined : funnel} />}
        </div>
      </div>
      <Dialogs {...props} draft={draft} dialog={dialog} ask={setDialog} rewrite={() => change({})} />
    </Page>
  )
}

type DialogName = 'create' | 'update' | 'delete' | 'insight'

function Dialogs(
  props: BuilderProps & {
    readonly draft: FunnelDraft
    readonly dialog: DialogName | undefined
    readonly ask: (dialog: DialogName | undefined) => void
    /** Leaves what is saved now out of the address. */
    readonly rewrite: () => void
  },
) {
  const { funnel, list, load, draft, dialog, ask } = props
  const [, navigate] = useLocation()
  const close = (): void => ask(undefined)
  const reload = (): void => {
    close()
    load?.reload()
  }
  if (dialog === undefined) return null
  if (dialog === 'insight')
    return (
      <SaveInsightDialog
        title="Put on a dashboard"
        name={funnel?.name ?? ''}
        query={{ kind: 'funnel', query: savedFunnelQuery(draft) }}
        unsaved={canSaveRange(draft) ? [] : ['time range']}
        close={close}
        saved={close}
      />
    )
  if (dialog === 'delete')
    return funnel === undefined ? null : (
      <DeleteDialog funnel={funnel} close={close} reload={reload} deleted={list.reload} />
    )
  return (
    <SaveDialog
      draft={draft}
      funnel={dialog === 'update' ? funnel : undefined}
      close={close}
      reload={reload}
      saved={(saved) => {
        close()
        list.reload()
        if (dialog === 'update') {
          load?.set(saved)
          // For its ETag.
          load?.reload()
          props.rewrite()
        } else navigate(`/funnels/${saved.id}${searchOf(toQueryParams(draft, fromFunnel(saved)))}`)
      }}
    />
  )
}

function Actions(props: { readonly edited: boolean; readonly ask: (dialog: DialogName) => void }) {
  return (
    <>
      <PermissionButton
        scope="funnels.manage"
        tone={props.edited ? 'primary' : ''}
        onClick={() => props.ask('update')}
      >
        {props.edited ? 'Save changes' : 'Edit name'}
      </PermissionButton>
      <PermissionButton scope="funnels.manage" tone="danger" onClick={() => props.ask('delete')}>
        Delete
      </PermissionButton>
    </>
  )
}

/** The results of a complete draft, or what is missing. `names` is the number of known event names. */
function FunnelResults(props: {
  readonly draft: FunnelDraft
  readonly result: Resource<Schema<'FunnelDraftResult'>>
  readonly names: number
  readonly unknown: ReadonlySet<string>
  /** The funnel that the figures are of, if it is saved as it is shown. */
  readonly savedId: string | undefined
}) {
  const { draft, names } = props
  if (!isComplete(draft))
    return (
      <div class="state">
        <strong>No steps yet</strong>
        <p>
          {names === 0
            ? 'Name the event of the first step. Events that arrive are suggested here.'
            : `Pick the event of the first step: ${pluralize(names, 'event name')} to choose from.`}
        </p>
      </div>
    )
  return (
    <ResourceView of={props.result} what="figures" lines={8}>
      {(figures) => (
        <>
          <section class="card" aria-label="Answer">
            <Summary result={figures} />
            <StepBars result={figures} unknown={props.unknown} />
            <QueryCost result={figures} />
          </section>
          <StepTable result={figures} funnelId={props.savedId} />
          <BreakdownTable result={figures} by={draft.experiment !== '' ? 'variant' : draft.breakdown} />
          {figures.trend !== null && draft.interval !== '' && (
            <Trend points={figures.trend} breakdown={figures.breakdown} interval={draft.interval} />
          )}
        </>
      )}
    </ResourceView>
  )
}

function SavedFunnels(props: {
  readonly list: Resource<Schema<'FunnelList'>>
  readonly current: string | undefined
}) {
  const funnels = props.list.data?.data ?? []
  if (funnels.length === 0) return null
  return (
    <nav aria-label="Saved funnels">
      <ul role="list" class="tabs saved-funnels">
        {funnels.map(({ id, name }) => (
          <li key={id}>
            <Link
              class="button small"
              href={`/funnels/${id}`}
              {...(id === props.current ? { 'aria-current': 'page' } : {})}
            >
              <bdi>{name}</bdi>
            </Link>
          </li>
        ))}
        {props.current !== undefined && (
          <li>
            <Link class="button quiet small" href="/funnels">
              New
            </Link>
          </li>
        )}
      </ul>
    </nav>
  )
}

/** Whether no name in the draft looks cut off. */
function isWhole(
  draft: FunnelDraft,
  missing: readonly string[],
  properties: readonly EventProperty[],
): boolean {
  const known = new Set(['', ...properties.map(({ property }) => property)])
  const filters = [...draft.filters, ...draft.steps.flatMap((step) => step.filters)]
  return (
    missing.length === 0 && known.has(draft.breakdown) && filters.every(({ property }) => known.has(property))
  )
}

/** The results, once typing has paused. `hold` keeps the previous ones. */
function useFigures(draft: FunnelDraft, hold: boolean): Resource<Schema<'FunnelDraftResult'>> {
  const asked = useRef(draft)
  if (!hold) asked.current = draft
  const settled = useDebounced(asked.current, TYPING_MS)
  const key = isComplete(settled) ? JSON.stringify([stepsOf(settled), { ...settled, steps: [] }]) : null
  return useResource(key, (signal) =>
    unwrap(
      api.POST('/funnel/query', {
        body: { steps: stepsOf(settled), ...queryOf(settled, Date.now()) },
        signal,
      }),
    ),
  )
}
