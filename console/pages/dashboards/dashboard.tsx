import { useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { api, type Schema, unwrap } from '../../client/api'
import { useQueryParams } from '../../client/query-params'
import { useResource } from '../../client/resource'
import { PermissionButton } from '../../components/controls/permission-button'
import {
  type Last,
  lastOf,
  type Range,
  rangeOfLast,
  readRange,
  writeRange,
} from '../../components/controls/range'
import { TimeRange } from '../../components/controls/time-range'
import { FormDialog } from '../../components/dialogs/form-dialog'
import { EmptyState } from '../../components/loading/empty-state'
import { ResourceView } from '../../components/loading/resource-view'
import { Page } from '../../components/page'
import { toast } from '../../components/toasts'
import { useInsights } from '../insights/saved-insights'
import './dashboards.css'
import { EditDashboard } from './edit-dashboard'
import { InsightCard } from './insight-card'

type DashboardRow = Schema<'Dashboard'>

/** The insights of a dashboard in their order, all with the range of the address. */
export function Dashboard(props: { readonly id: string }) {
  const path = { dashboardId: props.id }
  const dashboard = useResource(props.id, (signal) =>
    unwrap(api.GET('/funnel/dashboards/{dashboardId}', { params: { path }, signal })),
  )
  const { insights } = useInsights()
  const [params, change] = useQueryParams()
  const [dialog, setDialog] = useState<'edit' | 'delete' | undefined>(undefined)
  const row = dashboard.data
  const usual = rangeOfLast(row?.last)
  const range = readRange(params, usual.days)
  const close = (): void => setDialog(undefined)
  return (
    <Page
      title={row?.name ?? 'Dashboard'}
      lead={<Link href="/dashboards">All dashboards</Link>}
      actions={
        row !== undefined && (
          <>
            <PermissionButton scope="funnels.manage" onClick={() => setDialog('edit')}>
              Edit…
            </PermissionButton>
            <PermissionButton scope="funnels.manage" tone="danger" onClick={() => setDialog('delete')}>
              Delete…
            </PermissionButton>
          </>
        )
      }
    >
      <div class="row dashboard-range">
        <TimeRange value={range} onChange={(next) => change(writeRange(next, usual.days))} />
        {row !== undefined && <KeepRange row={row} range={range} reload={dashboard.reload} />}
      </div>
      <ResourceView of={dashboard} what="dashboard">
        {(found) => (
          <ResourceView of={insights} what="insights">
            {(all) => <Cards row={found} all={all} range={range} />}
          </ResourceView>
        )}
      </ResourceView>
      {dialog === 'edit' && row !== undefined && (
        <EditDashboard
          dashboard={row}
          insights={insights.data ?? []}
          close={close}
          saved={() => {
            close()
            dashboard.reload()
          }}
        />
      )}
      {dialog === 'delete' && row !== undefined && <DeleteDashboard row={row} close={close} />}
    </Page>
  )
}

function Cards(props: {
  readonly row: DashboardRow
  readonly all: readonly Schema<'Insight'>[]
  readonly range: Range
}) {
  const shown = props.row.insights.flatMap((id) => props.all.find((insight) => insight.id === id) ?? [])
  if (shown.length === 0)
    return (
      <EmptyState title="Nothing on this dashboard yet">
        <p class="text">
          Save a chart in <Link href="/trends">Trends</Link>, <Link href="/retention">Retention</Link> or{' '}
          <Link href="/funnels">Funnels</Link> and choose this dashboard, or add saved ones with Edit.
        </p>
      </EmptyState>
    )
  return (
    <div class="dashboard">
      {shown.map((insight) => (
        <InsightCard key={insight.id} insight={insight} range={props.range} />
      ))}
    </div>
  )
}

/** Offers to make the range of the address that of the dashboard. */
function KeepRange(props: {
  readonly row: DashboardRow
  readonly range: Range
  readonly reload: () => void
}) {
  const { row, range, reload } = props
  const last = lastOf(range)
  if (last === undefined || last === row.last) return null
  async function keep(last: Last): Promise<void> {
    const path = { dashboardId: row.id }
    await unwrap(api.PATCH('/funnel/dashboards/{dashboardId}', { params: { path }, body: { last } }))
    reload()
  }
  return (
    <PermissionButton
      scope="funnels.manage"
      tone="quiet"
      small
      onClick={() => void keep(last).catch(() => toast('The time range was not saved. Try again.'))}
    >
      Show this range to everyone
    </PermissionButton>
  )
}

function DeleteDashboard(props: { readonly row: DashboardRow; readonly close: () => void }) {
  const [, navigate] = useLocation()
  const { id, name } = props.row
  return (
    <FormDialog
      title={`Delete ${name}?`}
      send="Delete"
      tone="danger"
      intent={id}
      of={props.row}
      submit={(headers) =>
        unwrap(
          api.DELETE('/funnel/dashboards/{dashboardId}', { params: { path: { dashboardId: id } }, headers }),
        )
      }
      done={() => {
        toast(`Deleted ${name}`)
        navigate('/dashboards')
      }}
      close={props.close}
    >
      <p>The saved insights stay. Links to this dashboard stop working.</p>
    </FormDialog>
  )
}
