import { useState } from 'preact/hooks'
import { api, type Schema, unwrap } from '../../client/api'
import { Field } from '../../components/controls/field'
import { GuardedButton } from '../../components/controls/guarded-button'
import { Select } from '../../components/controls/select'
import { FormDialog } from '../../components/dialogs/form-dialog'
import { toast } from '../../components/toasts'

/** Name, insights and their order. */
export function EditDashboard(props: {
  readonly dashboard: Schema<'Dashboard'>
  readonly insights: readonly Schema<'Insight'>[]
  readonly close: () => void
  readonly saved: () => void
}) {
  const { dashboard, insights } = props
  const [name, setName] = useState(dashboard.name)
  const [order, setOrder] = useState<readonly string[]>(dashboard.insights)
  const body = { name: name.trim(), insights: [...order] }
  const nameOf = (id: string): string => insights.find((insight) => insight.id === id)?.name ?? id
  const others = insights.filter(({ id }) => !order.includes(id))
  return (
    <FormDialog
      title={`Edit ${dashboard.name}`}
      send="Save"
      missing={body.name === '' && 'Enter a name'}
      intent={body}
      of={dashboard}
      submit={(headers) =>
        unwrap(
          api.PATCH('/funnel/dashboards/{dashboardId}', {
            params: { path: { dashboardId: dashboard.id } },
            body,
            headers,
          }),
        )
      }
      done={() => {
        toast(`Saved ${body.name}`)
        props.saved()
      }}
      reload={props.saved}
      close={props.close}
    >
      <Field label="Name" value={name} maxLength={200} required onChange={setName} />
      {order.length > 0 && (
        <div class="field">
          <span class="legend">Insights in their order</span>
          <ol role="list" class="insight-order">
            {order.map((id, at) => (
              <OrderItem
                key={id}
                name={nameOf(id)}
                isFirst={at === 0}
                isLast={at === order.length - 1}
                move={(by) => setOrder(swapped(order, at, at + by))}
                remove={() => setOrder(order.filter((one) => one !== id))}
              />
            ))}
          </ol>
        </div>
      )}
      {others.length > 0 && (
        <Select
          label="Add a saved insight"
          value=""
          options={[['', 'Choose…'], ...others.map((insight) => [insight.id, insight.name] as const)]}
          onChange={(id) => id !== '' && setOrder([...order, id])}
        />
      )}
    </FormDialog>
  )
}

function OrderItem(props: {
  readonly name: string
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly move: (by: 1 | -1) => void
  readonly remove: () => void
}) {
  const { name, isFirst, isLast, move } = props
  return (
    <li>
      <bdi>{name}</bdi>
      <span class="step-tools">
        <GuardedButton
          tone="quiet"
          small
          reason={isFirst ? 'It is the first' : undefined}
          onClick={() => move(-1)}
        >
          <span aria-hidden="true">↑</span>
          <span class="hidden-text">Move {name} up</span>
        </GuardedButton>
        <GuardedButton
          tone="quiet"
          small
          reason={isLast ? 'It is the last' : undefined}
          onClick={() => move(1)}
        >
          <span aria-hidden="true">↓</span>
          <span class="hidden-text">Move {name} down</span>
        </GuardedButton>
        <button type="button" class="button quiet small" onClick={props.remove}>
          <span aria-hidden="true">×</span>
          <span class="hidden-text">Take {name} off</span>
        </button>
      </span>
    </li>
  )
}

function swapped(order: readonly string[], a: number, b: number): readonly string[] {
  const next = [...order]
  const [one, other] = [next[a], next[b]]
  if (one === undefined || other === undefined) return order
  next[a] = other
  next[b] = one
  return next
}
