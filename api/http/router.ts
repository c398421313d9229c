import type { Method, Route } from './route.js'

export interface RouteMatch {
  readonly kind: 'route'
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

export type Match =
  | RouteMatch
  | { readonly kind: 'method'; readonly allow: readonly Method[] }
  | { readonly kind: 'none' }

interface Node {
  readonly fixed: Map<string, Node>
  parameter: Node | undefined
  /** By method. */
  readonly routes: Map<Method, Route>
}

/**
 * Finds the route of a path. Segments are compared as sent: nothing is decoded or normalised, so an encoded
 * slash, a dot segment, a double slash or another case is another path. A fixed segment wins over a
 * parameter.
 */
export class Router {
  private readonly root = node()

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      let at = this.root
      for (const segment of route.path.split('/').slice(1)) {
        if (segment.startsWith('{')) {
          at.parameter ??= node()
          at = at.parameter
        } else {
          const next = at.fixed.get(segment) ?? node()
          at.fixed.set(segment, next)
          at = next
        }
      }
      if (at.routes.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`)
      at.routes.set(route.method, route)
    }
  }

  /** @param segments of the path below `/v1`, as sent */
  match(method: string, segments: readonly string[]): Match {
    let at: Node | undefined = this.root
    for (const segment of segments) {
      at = at.fixed.get(segment) ?? (segment === '' ? undefined : at.parameter)
      if (at === undefined) return { kind: 'none' }
    }
    if (at.routes.size === 0) return { kind: 'none' }
    const route = at.routes.get((method === 'HEAD' ? 'GET' : method) as Method)
    if (route === undefined) return { kind: 'method', allow: [...at.routes.keys()] }
    return { kind: 'route', route, params: paramsOf(route, segments) }
  }
}

function node(): Node {
  return { fixed: new Map(), parameter: undefined, routes: new Map() }
}

function paramsOf(route: Route, segments: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {}
  const pattern = route.path.split('/').slice(1)
  for (let i = 0; i < pattern.length; i++) {
    const part = pattern[i] ?? ''
    if (part.startsWith('{')) params[part.slice(1, -1)] = segments[i] ?? ''
  }
  return params
}
