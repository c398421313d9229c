import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { api, type Schema, unwrap } from './api'
import { type Resource, useResource } from './resource'

export type Scope = 'proposals.review' | 'experiments.manage' | 'experiments.decide' | 'funnels.manage'

export interface Identity {
  readonly me: Schema<'Me'>
  readonly permissions: readonly Scope[]
}

const Context = createContext<Identity | undefined>(undefined)

/** Who is signed in, and what they may do. */
export function useIdentity(token: string | null): Resource<Identity> {
  return useResource(
    token,
    async (signal) => {
      const [me, { data }] = await Promise.all([
        unwrap(api.GET('/me', { signal })),
        unwrap(api.GET('/me/permissions', { signal })),
      ])
      return { me, permissions: data }
    },
    { keepPreviousData: false },
  )
}

export function IdentityProvider(props: {
  readonly identity: Identity | undefined
  readonly children: ComponentChildren
}) {
  return <Context.Provider value={props.identity}>{props.children}</Context.Provider>
}

export function useMe(): Schema<'Me'> | undefined {
  return useContext(Context)?.me
}

/** Whether whoever is signed in may do what asks for a scope. While that is not known yet nothing is allowed. */
export function usePermission(scope: Scope): boolean {
  return useContext(Context)?.permissions.includes(scope) ?? false
}
