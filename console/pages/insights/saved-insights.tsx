import { useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { api, unwrap } from '../../client/api'
import { useMutation } from '../../client/mutation'
import { useQueryParams } from '../../client/query-params'
import { type Resource, useResource } from '../../client/resource'
import { PermissionButton } from '../../components/controls/permission-button'
import { FormDialog } from '../../components/dialogs/form-dialog'
import { ErrorMessage } from '../../components/loading/error-message'
import { toast } from '../../components/toasts'
import { type Insight, insightPath } from './insight'
import { type SavableInsight, SaveInsightDialog } from './save-insight-dialog'

const MAX_INSIGHTS = 1_000

/** The saved insights of the workspace, and the one that the address names. */
export function useInsights(): {
  readonly insights: Resource<readonly Insight[]>
  readonly current: Insight | undefined
} {
  const [params] = useQueryParams()
  const insights = useResource('insights', async (signal) => {
    const query = { limit: MAX_INSIGHTS }
    return (await unwrap(api.GET('/funnel/insights', { params: { query }, signal }))).data
  })
  return { insights, current: insights.data?.find(({ id }) => id === params.get('insight')) }
}

/** Links to the saved insights of a kind. */
export function SavedInsights(props: {
  readonly kind: 'trends' | 'retention'
  readonly insights: readonly Insight[]
  readonly current: Insight | undefined
}) {
  const { kind, current } = props
  const saved = props.insights.filter((insight) => insight.kind === kind)
  if (saved.length === 0) return null
  return (
    <nav aria-label={`Saved ${kind}`}>
      <ul role="list" class="tabs saved-funnels">
        {saved.map((insight) => (
          <li key={insight.id}>
            <Link
              class="button small"
              href={insightPath(insight)}
              {...(insight.id === current?.id ? { 'aria-current': 'page' } : {})}
            >
              <bdi>{insight.name}</bdi>
            </Link>
          </li>
        ))}
        {current !== undefined && (
          <li>
            <Link class="button quiet small" href={`/${kind}`}>
              New
            </Link>
          </li>
        )}
      </ul>
    </nav>
  )
}

/** Saves what the screen shows: as a new insight, on a dashboard, or over the current one. */
export function InsightActions(props: {
  readonly query: SavableInsight
  readonly insights: Resource<readonly Insight[]>
  readonly current: Insight | undefined
  /** Whether the screen shows something else than the current one. */
  readonly edited: boolean
  /** Parts of the screen that cannot be saved. */
  readonly unsaved: readonly string[]
}) {
  const { query, insights, current, edited } = props
  const [, change] = useQueryParams()
  const [dialog, setDialog] = useState<'save' | 'delete' | undefined>(undefined)
  const [, navigate] = useLocation()
  const close = (): void => setDialog(undefined)
  return (
    <>
      <div class="row">
        {current !== undefined && edited && (
          <SaveChanges insight={current} query={query} saved={insights.reload} />
        )}
        <PermissionButton
          scope="funnels.manage"
          tone={current === undefined ? 'primary' : ''}
          onClick={() => setDialog('save')}
        >
          {current === undefined ? 'Save…' : 'Save as another…'}
        </PermissionButton>
        {current !== undefined && (
          <PermissionButton scope="funnels.manage" tone="danger" onClick={() => setDialog('delete')}>
            Delete…
          </PermissionButton>
        )}
      </div>
      {dialog === 'save' && (
        <SaveInsightDialog
          query={query}
          close={close}
          unsaved={props.unsaved}
          saved={(insight) => {
            close()
            insights.reload()
            change({ insight: insight.id })
          }}
        />
      )}
      {dialog === 'delete' && current !== undefined && (
        <DeleteInsight
          insight={current}
          close={close}
          deleted={() => {
            insights.reload()
            navigate(`/${current.kind}`)
          }}
        />
      )}
    </>
  )
}

/** Saves the query over that of an insight. */
function SaveChanges(props: {
  readonly insight: Insight
  readonly query: SavableInsight
  readonly saved: () => void
}) {
  const { id, name } = props.insight
  const { query } = props.query
  const { busy, failure, run } = useMutation()
  async function save(): Promise<void> {
    const path = { insightId: id }
    const body = { query }
    const outcome = await run(JSON.stringify([id, query]), (headers) =>
      unwrap(api.PATCH('/funnel/insights/{insightId}', { params: { path }, body, headers })),
    )
    if (!outcome.ok) return
    toast(`Saved ${name}`)
    props.saved()
  }
  return (
    <>
      {failure !== undefined && <ErrorMessage failure={failure} />}
      <PermissionButton scope="funnels.manage" tone="primary" busy={busy} onClick={() => void save()}>
        Save changes
      </PermissionButton>
    </>
  )
}

function DeleteInsight(props: {
  readonly insight: Insight
  readonly close: () => void
  readonly deleted: () => void
}) {
  const { id, name } = props.insight
  return (
    <FormDialog
      title={`Delete ${name}?`}
      send="Delete"
      tone="danger"
      intent={id}
      submit={(headers) =>
        unwrap(api.DELETE('/funnel/insights/{insightId}', { params: { path: { insightId: id } }, headers }))
      }
      done={() => {
        toast(`Deleted ${name}`)
        props.deleted()
      }}
      close={props.close}
    >
      <p>The events stay. Dashboards lose this insight.</p>
    </FormDialog>
  )
}
