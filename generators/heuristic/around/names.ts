import type { Findings } from '../analyse.js'
import type { Node } from '../imports.js'
import { isAt, routeOf } from '../pages-at.js'
import { isShownByPlace } from '../reach.js'
import { NO_PAGE, nameOf, plain } from '../uses.js'

/** How many files stand between a page and what opens it, or what stands beside a part of it. */
export const MAX_STEPS = 4

/** Which files name which. */
export class Names {
  /** by name, the files that name it */
  readonly uses = new Map<string, Set<string>>()
  /** files as they name others */
  readonly nodes: Node[] = []

  add(path: string, { imports, uses }: Pick<Findings, 'imports' | 'uses'>): void {
    this.nodes.push({ path, imports, uses })
    for (const use of uses) this.uses.set(use, (this.uses.get(use) ?? new Set()).add(path))
  }

  /** Whether more than one file shows a part. */
  isShared(part: string, by: string): boolean {
    const name = plain(nameOf(part))
    for (const [use, paths] of this.uses) {
      if (part.endsWith('.vue') ? !use.endsWith(name) : use !== name) continue
      for (const path of paths) if (path !== by && path !== part && !NO_PAGE.test(path)) return true
    }
    return false
  }

  /** Whether all pages that show a part are the one at an address; `false` too where that is not known. */
  isSeenOnlyAt(part: string, href: string, steps = MAX_STEPS): boolean {
    const name = plain(nameOf(part))
    const by = [...(this.uses.get(name) ?? [])].filter((one) => one !== part && !NO_PAGE.test(one))
    return (
      steps > 0 &&
      by.length > 0 &&
      by.every(
        (one) => isAt(href, one, one) || (!isShownByPlace(one) && this.isSeenOnlyAt(one, href, steps - 1)),
      )
    )
  }

  /** Whether something leads to a page: where nothing does, what it says may be over. */
  isLinked(path: string): boolean {
    const route = routeOf(path)
    const isPage = /\.html?$/i.test(path)
    if (!isPage && (route === null || /(^|\/)pages\//.test(path))) return true
    const name = nameOf(isPage ? path : `${route ?? ''}`)
    if (isPage && /(^|\/)index\.html?$/i.test(path) && path.split('/').length <= 2) return true
    return [name, name.replace(/\.html?$/i, '')].some((one) =>
      [...(this.uses.get(plain(one)) ?? [])].some((by) => by !== path && !/sitemap|robots/i.test(by)),
    )
  }
}
