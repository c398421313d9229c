import type { ComponentChildren } from 'preact'
import { type Permission, usePermissions } from '../../client/identity'
import { GuardedButton } from './guarded-button'

/** Actions that each permission allows, worded to follow "may". */
export const PERMISSION_TEXTS: Readonly<Record<Permission, string>> = {
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
  /** Why it cannot be used now, permission aside. */
  readonly reason?: string | undefined
  readonly onClick: () => void
  readonly children: ComponentChildren
}) {
  const { scope, ...button } = props
  const scopes = typeof scope === 'string' ? [scope] : scope
  const granted = usePermissions()
  const missing = scopes.find((name) => !granted.includes(name))
  const reason =
    missing === undefined ? props.reason : `You do not have the permission to ${PERMISSION_TEXTS[missing]}`
  return <GuardedButton {...button} reason={reason} />
}
