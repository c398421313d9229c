import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { api, type Schema, unwrap } from './api'
import { type Resource, useResource } from './resource'

export type Permission = 'proposals.review' | 'experiments.manage' | 'experiments.decide' | 'funnels.manage'

export interface Identity {
  readonly me: Schema<'Me'>
  readonly permissions: readonly Permission[]
}

const Context = createContext<Identity | undefined>(undefined)

/** The signed-in person and their permissions. */
export function useIdentity(signedIn: boolean): Resource<Identity> {
  return useResource(
    signedIn ? 'me' : null,
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

export function IdentityScope(props: {
  readonly identity: Identity | undefined
  readonly children: ComponentChildren
}) {
  return <Context.Provider value={props.identity}>{props.children}</Context.Provider>
}

export function useMe(): Schema<'Me'> | undefined {
  return useContext(Context)?.me
}

/** Permissions of the person; empty until they are loaded. */
export function usePermissions(): readonly Permission[] {
  return useContext(Context)?.permissions ?? []
}
