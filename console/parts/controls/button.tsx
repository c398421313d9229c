import type { ComponentChildren } from 'preact'
import { type Scope, useMay } from '../../client/identity'

const NAMES: Readonly<Record<Scope, string>> = {
  'proposals.review': 'review proposals',
  'experiments.manage': 'manage experiments',
  'experiments.decide': 'decide on experiments',
  'funnels.manage': 'manage funnels',
}

/** A button for what asks for a permission: without it, it says so and does nothing. */
export function Permitted(props: {
  readonly scope: Scope | readonly Scope[]
  readonly look?: 'primary' | 'danger' | 'quiet' | ''
  readonly small?: boolean
  readonly busy?: boolean
  readonly onClick: () => void
  readonly children: ComponentChildren
}) {
  const scopes = typeof props.scope === 'string' ? [props.scope] : props.scope
  const missing = useMissing(scopes)
  const allowed = missing === undefined
  const reason = missing === undefined ? undefined : `You do not have the permission to ${NAMES[missing]}`
  return (
    <button
      type="button"
      class={`button ${allowed ? (props.look ?? '') : ''} ${props.small === true ? 'small' : ''}`}
      // It can still be reached, so that the reason can be read.
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

function useMissing(scopes: readonly Scope[]): Scope | undefined {
  const may: Readonly<Record<Scope, boolean>> = {
    'proposals.review': useMay('proposals.review'),
    'experiments.manage': useMay('experiments.manage'),
    'experiments.decide': useMay('experiments.decide'),
    'funnels.manage': useMay('funnels.manage'),
  }
  return scopes.find((scope) => !may[scope])
}
