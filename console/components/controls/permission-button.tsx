import type { ComponentChildren } from 'preact'
import { type Permission, usePermissions } from '../../client/identity'

const NAMES: Readonly<Record<Permission, string>> = {
  'proposals.review': 'review proposals',
  'experiments.manage': 'manage experiments',
  'experiments.decide': 'decide on experiments',
  'funnels.manage': 'manage funnels',
}

/** A button that needs a permission. Without it, the button explains that and does nothing. */
export function PermissionButton(props: {
  readonly scope: Permission | readonly Permission[]
  readonly tone?: 'primary' | 'danger' | 'quiet' | ''
  readonly small?: boolean
  readonly busy?: boolean
  readonly onClick: () => void
  readonly children: ComponentChildren
}) {
  const scopes = typeof props.scope === 'string' ? [props.scope] : props.scope
  const granted = usePermissions()
  const missing = scopes.find((scope) => !granted.includes(scope))
  const allowed = missing === undefined
  const reason = missing === undefined ? undefined : `You do not have the permission to ${NAMES[missing]}`
  return (
    <button
      type="button"
      class={`button ${allowed ? (props.tone ?? '') : ''} ${props.small === true ? 'small' : ''}`}
      // Focusable, so that the reason can be read.
      aria-disabled={!allowed}
      disabled={props.busy === true}
      title={reason}
      onClick={() => {
        if (allowed) props.onClick()
      }}
    >
      {props.children}
      {reason !== undefined && <span class="hidden-text">. {reason}</span>}
    </button>
  )
}
