import type { Findings } from '../analyse.js'
import { routeOf } from '../pages-at.js'
import type { Kept } from '../start-pages.js'
import { nameOf, plain } from '../uses.js'

const isAtOrBelow = (route: string, address: string): boolean =>
  address === route || (address !== '/' && `${route}/`.startsWith(address.replace(/\/?$/, '/')))

/** Which pages not everybody sees, as routes and middleware say it. */
export class Inside {
  /** parts that routes show to staff alone, by name */
  readonly #ofStaff = new Set<string>()
  /** by the folder of a program, the addresses that everybody sees there */
  readonly #seenByAll: { within: string; addresses: readonly string[] }[] = []
  /** by the folder of a program, the addresses that it keeps for some */
  readonly #kept: { within: string; kept: Kept }[] = []

  addRoutes({ ofStaff }: Pick<Findings, 'ofStaff'>): void {
    for (const part of ofStaff) this.#ofStaff.add(part)
  }

  /** What middleware lets by. @param path of the middleware */
  addGate(path: string, { seenByAll, kept }: Pick<Findings, 'seenByAll' | 'kept'>): void {
    const within = path.replace(/[^/]+$/, '')
    if (seenByAll !== null) this.#seenByAll.push({ within, addresses: seenByAll })
    if (kept.forStaff.length + kept.forSome.length > 0) this.#kept.push({ within, kept })
  }

  /** Whether a file is a page that routes show to staff alone, or to those alone who have signed in. */
  isInside(path: string): boolean {
    if (this.#ofStaff.has(plain(nameOf(path)))) return true
    const route = routeOf(path)
    if (route === null) return false
    return (
      this.#seenByAll.some(
        ({ within, addresses }) =>
          path.startsWith(within) && !addresses.some((one) => isAtOrBelow(route, one)),
      ) || this.#isAmong('forStaff', path, route)
    )
  }

  /** Whether middleware keeps a page for those who have signed in. */
  isKept(path: string): boolean {
    const route = routeOf(path)
    return route !== null && this.#isAmong('forSome', path, route)
  }

  #isAmong(whom: keyof Kept, path: string, route: string): boolean {
    return this.#kept.some(
      ({ within, kept }) => path.startsWith(within) && kept[whom].some((one) => isAtOrBelow(route, one)),
    )
  }
}
