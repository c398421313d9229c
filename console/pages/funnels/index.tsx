import './funnels.css'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { useAddress } from '../../client/address'
import { answer, api, type Schema } from '../../client/api'
import { type Resource, useResource } from '../../client/resource'
import { Permitted } from '../../parts/controls/button'
import { useDebounced } from '../../parts/controls/use-debounced'
import { Loaded } from '../../parts/loading/loaded'
import { Page } from '../../parts/page'
import { counted } from '../../parts/text/format'
import { Commands } from './commands'
import {
  type Draft,
  emptyDraft,
  fromAddress,
  fromFunnel,
  isComplete,
  namedSteps,
  queryOf,
  stepsOf,
  toAddress,
} from './draft'
import { Bars, Cost, GroupTable, StepTable, Summary } from './figures'
import { Options } from './options'
import { DeleteDialog, SaveDialog } from './save'
import { Steps } from './steps'
import { Trend } from './trend'
import { useEventNames, useProperties } from './vocabulary'

type Funnel = Schema<'Funnel'>
const TYPING_MS = 300

export default function Funnels(props: { readonly id?: string }) {
  const { id } = props
  const list = useResource('funnels', (signal) => answer(api.GET('/funnel', { signal })))
  const funnel = useResource(id ?? null, (signal) =>
    answer(api.GET('/funnel/{funnelId}', { params: { path: { funnelId: id ?? '' } }, signal })),
  )
  if (id === undefined) return <Builder funnel={undefined} list={list} />
  if (funnel.data === undefined)
    return (
      <Page title="Funnel">
        <Loaded of={funnel} what="funnel">
          {() => null}
        </Loaded>
      </Page>
    )
  return <Builder funnel={funnel.data} list={list} changed={funnel.set} />
}

function Builder(props: {
  readonly funnel: Funnel | undefined
  readonly list: Resource<Schema<'FunnelList'>>
  readonly changed?: (funnel: Funnel) => void
}) {
  const { funnel, list } = props
  const base = useMemo(() => (funnel === undefined ? undefined : fromFunnel(funnel)), [funnel])
  const [draft, change] = useDraft(base)
  const names = useEventNames()
  const properties = useProperties()
  const [dialog, setDialog] = useState<Asking | undefined>(undefined)
  const [, navigate] = useLocation()
  const result = useFigures(draft)
  const edited =
    base !== undefined &&
    (draft.windowSeconds !== base.windowSeconds ||
      JSON.stringify(namedSteps(draft)) !== JSON.stringify(base.steps))

  return (
    <Page
      title={funnel?.name ?? 'Funnels'}
      lead={
        funnel === undefined
          ? 'How many persons go from one event to the next, and where they are lost.'
          : funnel.description || <Link href="/funnels">All funnels</Link>
      }
      actions={funnel !== undefined && <Actions edited={edited} ask={setDialog} />}
    >
      <Saved list={list} current={funnel?.id} />
      <div class="funnel">
        <div class="stack">
          <section class="card" aria-label="Steps">
            <Steps draft={draft} names={names} properties={properties} onChange={change} />
          </section>
          <section class="card" aria-label="Query">
            <Options draft={draft} names={names} properties={properties} onChange={change} />
          </section>
          {isComplete(draft) && (
            <div class="row">
              <Permitted
                scope="funnels.manage"
                look={funnel === undefined ? 'primary' : ''}
                onClick={() => setDialog('create')}
              >
                {funnel === undefined ? 'Save funnel' : 'Save as another'}
              </Permitted>
              <button type="button" class="button quiet" onClick={() => change(base ?? emptyDraft)}>
                {funnel === undefined ? 'Start over' : 'Undo changes'}
              </button>
            </div>
          )}
        </div>
        <div class="stack">
          <Answer draft={draft} result={result} names={names.length} />
          {isComplete(draft) && <Commands draft={draft} funnel={edited ? undefined : funnel} />}
        </div>
      </div>
      {(dialog === 'create' || dialog === 'update') && (
        <SaveDialog
          draft={draft}
          funnel={dialog === 'update' ? funnel : undefined}
          close={() => setDialog(undefined)}
          saved={(saved) => {
            setDialog(undefined)
            list.reload()
            if (dialog === 'update') props.changed?.(saved)
            else navigate(`/funnels/${saved.id}${withoutSteps(window.location.search)}`)
          }}
        />
      )}
      {dialog === 'delete' && funnel !== undefined && (
        <DeleteDialog funnel={funnel} close={() => setDialog(undefined)} deleted={list.reload} />
      )}
    </Page>
  )
}

type Asking = 'create' | 'update' | 'delete'

/** What can be done with a funnel that is kept. */
function Actions(props: { readonly edited: boolean; readonly ask: (dialog: Asking) => void }) {
  return (
    <>
      {props.edited ? (
        <Permitted scope="funnels.manage" look="primary" onClick={() => props.ask('update')}>
          Save changes
        </Permitted>
      ) : (
        <Permitted scope="funnels.manage" onClick={() => props.ask('update')}>
          Edit name
        </Permitted>
      )}
      <Permitted scope="funnels.manage" look="danger" onClick={() => props.ask('delete')}>
        Delete
      </Permitted>
    </>
  )
}

/** The figures of a draft that has steps, or what it lacks; `names`: how many event names there are to choose from. */
function Answer(props: {
  readonly draft: Draft
  readonly result: Resource<Schema<'FunnelDraftResult'>>
  readonly names: number
}) {
  const { draft, names } = props
  if (!isComplete(draft))
    return (
      <div class="state">
        <strong>No steps yet</strong>
        <p>
          {names === 0
            ? 'Name the event of the first step. Events that arrive are suggested here.'
            : `Pick the event of the first step: ${counted(names, 'event name')} to choose from.`}
        </p>
      </div>
    )
  return (
    <Loaded of={props.result} what="figures" lines={8}>
      {(figures) => (
        <>
          <section class="card" aria-label="Answer">
            <Summary result={figures} />
            <Bars result={figures} />
            <Cost result={figures} />
          </section>
          <StepTable steps={figures.steps} />
          <GroupTable result={figures} by={draft.experiment !== '' ? 'variant' : draft.breakdown} />
          {figures.trend !== null && draft.interval !== '' && (
            <Trend points={figures.trend} interval={draft.interval} />
          )}
        </>
      )}
    </Loaded>
  )
}

function Saved(props: {
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

/** The draft, which the address has at once: what is changed goes there, and an address that was come to is read. */
function useDraft(
  base: Pick<Draft, 'steps' | 'windowSeconds'> | undefined,
): readonly [Draft, (changes: Partial<Draft>) => void] {
  const [params, setAddress] = useAddress()
  const [draft, setDraft] = useState(() => fromAddress(params, base))
  const written = useRef<string>(params.toString())
  useEffect(() => {
    if (params.toString() === written.current) return
    written.current = params.toString()
    setDraft(fromAddress(params, base))
  }, [params])
  function change(changes: Partial<Draft>): void {
    const next = { ...draft, ...changes }
    setDraft(next)
    setAddress(toAddress(next, base))
    written.current = window.location.search.replace(/^\?/, '')
  }
  return [draft, change]
}

/** The answer to a draft, once nothing has been typed for a moment. */
function useFigures(draft: Draft): Resource<Schema<'FunnelDraftResult'>> {
  const wanted = isComplete(draft) ? JSON.stringify([stepsOf(draft), { ...draft, steps: [] }]) : null
  const settled = useDebounced(wanted, TYPING_MS)
  return useResource(settled, (signal) =>
    answer(
      api.POST('/funnel/query', { body: { steps: stepsOf(draft), ...queryOf(draft, Date.now()) }, signal }),
    ),
  )
}

function withoutSteps(search: string): string {
  const params = new URLSearchParams(search)
  params.delete('step')
  params.delete('window')
  return params.size === 0 ? '' : `?${params}`
}
