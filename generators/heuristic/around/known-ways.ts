import type { Facts } from '../facts.js'
import type { Browse, Door, KnownMount, KnownWay, Site, Start } from '../idea.js'
import { NO_PAGE } from '../uses.js'
import { firstByPath, inOrder } from './first.js'

const MAX_WAYS = 300

type Ways = 'ways' | 'browses' | 'starts' | 'doors' | 'callsFirst' | 'dials' | 'mounts'

/** How visitors get to what the site is there for: ways and buttons, where newcomers start, doors at which one signs in, links that dial. */
export class KnownWays {
  readonly #ways: KnownWay[] = []
  readonly #browses: (Browse & { path: string })[] = []
  readonly #starts: (Start & { path: string })[] = []
  readonly #doors: (Door & { path: string })[] = []
  /** by number, the first file that has it */
  readonly #dials = new Map<string, string>()
  #callsFirst = false
  readonly #mounts: KnownMount[] = []

  add(path: string, facts: Pick<Facts, Ways>): void {
    this.#ways.push(...facts.ways.map((way) => ({ ...way, path })))
    this.#browses.push(...facts.browses.map((way) => ({ ...way, path })))
    if (!NO_PAGE.test(path)) this.#starts.push(...facts.starts.map((start) => ({ ...start, path })))
    if (!NO_PAGE.test(path)) this.#doors.push(...facts.doors.map((door) => ({ ...door, path })))
    this.#callsFirst ||= facts.callsFirst && !NO_PAGE.test(path)
    for (const href of facts.dials) {
      const by = this.#dials.get(href)
      if (by === undefined || path < by) this.#dials.set(href, path)
    }
    this.#mounts.push(...facts.mounts.map((mount) => ({ ...mount, path })))
  }

  known(): Pick<Site, Ways> {
    return {
      ways: firstByPath(this.#ways, MAX_WAYS),
      browses: firstByPath(this.#browses, MAX_WAYS),
      starts: firstByPath(this.#starts, MAX_WAYS),
      doors: firstByPath(this.#doors, MAX_WAYS),
      callsFirst: this.#callsFirst,
      dials: inOrder(this.#dials).map(([href, path]) => ({ href, path })),
      mounts: firstByPath(this.#mounts, MAX_WAYS),
    }
  }
}
