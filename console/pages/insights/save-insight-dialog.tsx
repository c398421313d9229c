import { useState } from 'preact/hooks'
import { api, type Schema, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
import { Field } from '../../components/controls/field'
import { Select } from '../../components/controls/select'
import { FormDialog } from '../../components/dialogs/form-dialog'
import { toast } from '../../components/toasts'
import type { Insight } from './insight'

/** A kind with its query. */
export type SavableInsight =
  | { readonly kind: 'trends'; readonly query: Schema<'SavedTrendsQuery'> }
  | { readonly kind: 'retention'; readonly query: Schema<'SavedRetentionQuery'> }
  | { readonly kind: 'funnel'; readonly query: Schema<'SavedFunnelDraftQuery'> }

/** Saves an insight, and puts it on a dashboard if one is chosen. */
export function SaveInsightDialog(props: {
  readonly query: SavableInsight
  readonly title?: string
  /** Proposed as the name. */
  readonly name?: string
  /** Parts of the screen that cannot be saved. */
  readonly unsaved: readonly string[]
  readonly close: () => void
  readonly saved: (insight: Insight) => void
}) {
  const { query } = props
  const [name, setName] = useState(props.name ?? '')
  const [dashboard, setDashboard] = useState('')
  const [dashboardName, setDashboardName] = useState('')
  const dashboards = useResource('dashboards', async (signal) => {
    const { data } = await unwrap(api.GET('/funnel/dashboards', { signal }))
    return data
  })
  const known = dashboards.data ?? []
  const body = { name: name.trim(), ...query }
  async function submit(headers: Record<string, string>): Promise<Insight> {
    const insight = await unwrap(api.POST('/funnel/insights', { body, headers }))
    const chosen = known.find(({ id }) => id === dashboard)
    if (chosen !== undefined) await putOn(chosen, insight)
    else if (dashboard === NEW)
      await unwrap(
        api.POST('/funnel/dashboards', { body: { name: dashboardName.trim(), insights: [insight.id] } }),
      )
    return insight
  }
  return (
    <FormDialog
      title={props.title ?? `Save ${query.kind}`}
      send="Save"
      missing={
        body.name === ''
          ? 'Enter a name'
          : dashboard === NEW && dashboardName.trim() === '' && 'Enter a name for the dashboard'
      }
      intent={body}
      submit={submit}
      done={(insight) => {
        toast(`Saved ${insight.name}`)
        props.saved(insight)
      }}
      close={props.close}
    >
      <Field label="Name" value={name} maxLength={200} required onChange={setName} />
      <Select
        label="Dashboard"
        value={dashboard}
        options={[
          ['', 'No dashboard'],
          ...known.map(({ id, name }) => [id, name] as const),
          [NEW, 'A new dashboard…'],
        ]}
        onChange={setDashboard}
      />
      {dashboard === NEW && (
        <Field
          label="Name of the dashboard"
          value={dashboardName}
          maxLength={200}
          required
          onChange={setDashboardName}
        />
      )}
      <p class="hint">{savedText(props.unsaved)}</p>
    </FormDialog>
  )
}

/** A sentence on what a dialog saves of a screen. */
export function savedText(unsaved: readonly string[]): string {
  return unsaved.length === 0
    ? 'Everything on the screen is saved.'
    : `Everything on the screen is saved, except the ${unsaved.join(' and the ')}.`
}

const NEW = 'new'

/** Adds an insight at the end. */
async function putOn({ id, insights }: Schema<'Dashboard'>, insight: Insight): Promise<void> {
  await unwrap(
    api.PATCH('/funnel/dashboards/{dashboardId}', {
      params: { path: { dashboardId: id } },
      body: { insights: [...insights, insight.id] },
    }),
  )
}
