import { useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { pluralize } from '../../../domain/text/format.js'
import { api, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
import { Field } from '../../components/controls/field'
import { PermissionButton } from '../../components/controls/permission-button'
import { DataTable } from '../../components/data-table'
import { FormDialog } from '../../components/dialogs/form-dialog'
import { EmptyState } from '../../components/loading/empty-state'
import { ResourceView } from '../../components/loading/resource-view'
import { Page } from '../../components/page'
import { Time } from '../../components/text/time'
import { Dashboard } from './dashboard'

export default function DashboardsPage(props: { readonly id?: string }) {
  return props.id === undefined ? <Dashboards /> : <Dashboard id={props.id} />
}

function Dashboards() {
  const [creating, setCreating] = useState(false)
  const [, navigate] = useLocation()
  const dashboards = useResource('dashboards', (signal) => unwrap(api.GET('/funnel/dashboards', { signal })))
  return (
    <Page
      title="Dashboards"
      lead="Saved trends, retention and funnels on one page, with one time range for all."
      actions={
        <PermissionButton scope="funnels.manage" tone="primary" onClick={() => setCreating(true)}>
          Create dashboard…
        </PermissionButton>
      }
    >
      <ResourceView of={dashboards} what="dashboards">
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No dashboard yet">
              <p class="text">
                Build a chart in <Link href="/trends">Trends</Link>, <Link href="/retention">Retention</Link>{' '}
                or <Link href="/funnels">Funnels</Link>, save it, and choose a dashboard for it. Everyone in
                the workspace sees it, and its address can be shared.
              </p>
            </EmptyState>
          ) : (
            <DataTable
              label="Dashboards"
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: 'Dashboard',
                  class: 'long',
                  isHeading: true,
                  cell: ({ id, name }) => (
                    <Link href={`/dashboards/${id}`}>
                      <bdi>{name}</bdi>
                    </Link>
                  ),
                },
                {
                  title: 'Holds',
                  class: 'nowrap',
                  cell: ({ insights }) => pluralize(insights.length, 'insight'),
                },
                {
                  title: 'Changed',
                  class: 'nowrap',
                  cell: ({ updatedAt }) => <Time at={updatedAt} as="day" />,
                },
              ]}
            />
          )
        }
      </ResourceView>
      {creating && (
        <CreateDashboard close={() => setCreating(false)} created={(id) => navigate(`/dashboards/${id}`)} />
      )}
    </Page>
  )
}

function CreateDashboard(props: { readonly close: () => void; readonly created: (id: string) => void }) {
  const [name, setName] = useState('')
  const body = { name: name.trim() }
  return (
    <FormDialog
      title="Create a dashboard"
      send="Create"
      missing={body.name === '' && 'Enter a name'}
      intent={body}
      submit={(headers) => unwrap(api.POST('/funnel/dashboards', { body, headers }))}
      done={({ id }) => props.created(id)}
      close={props.close}
    >
      <Field label="Name" value={name} maxLength={200} required onChange={setName} />
    </FormDialog>
  )
}
