import type { Facts } from '../facts.js'
import type { KnownPage, Site } from '../idea.js'
import { answeredBy, routeOf } from '../pages-at.js'
import type { Language } from '../words/language.js'
import { inOrder } from './first.js'

/** How many pages others may speak of. */
export const MAX_PAGES = 600
const MAX_LINKS = 200
const MAX_LABELS = 20

/** With fewer, something else may answer. */
const FEW_PAGES = 2

/** The pages of the site: at which addresses they are, what they are called, and with which words links lead there. */
export class Pages {
  readonly #pages: KnownPage[] = []
  /** the addresses that files answer, where nothing but files does */
  readonly #answering: RegExp[] = []
  readonly #links = new Map<string, { label: string; count: number; labels: Map<string, string> }>()
  /** by the address of a place on the start page, the words of a link there */
  readonly #places = new Map<string, string>()
  readonly #ids = new Set<string>()

  /** Whether no page is at an address, as far as files tell. */
  isNowhere(href: string): boolean {
    return this.#answering.length >= FEW_PAGES && !this.#answering.some((one) => one.test(href))
  }

  /** A page, by where its file is. */
  addRoute(path: string): void {
    const answers = answeredBy(path)
    if (answers !== null) this.#answering.push(answers)
    const href = routeOf(path)
    if (href !== null && !this.#links.has(href))
      this.#links.set(href, { label: '', count: 0, labels: new Map() })
  }

  /** What a file calls all pages in the bar of the window. */
  addTitledAll(path: string, titled: string): void {
    this.#pages.push({ path, heading: null, describes: null, titled, language: null })
  }

  add(
    path: string,
    language: Language | null,
    {
      heading,
      describes,
      titled,
      links,
      places,
      ids,
    }: Pick<Facts, 'heading' | 'describes' | 'titled' | 'links' | 'places' | 'ids'>,
  ): void {
    if (heading !== null || describes !== null || titled !== null)
      this.#pages.push({ path, heading, describes, titled, language })
    for (const { href, label } of links) this.#addLink(path, href, label)
    for (const { href, label } of places)
      if (!this.#places.has(href) || label < (this.#places.get(href) ?? '')) this.#places.set(href, label)
    for (const id of ids) this.#ids.add(id)
  }

  #addLink(path: string, href: string, label: string): void {
    const known = this.#links.get(href)
    const labels = known?.labels ?? new Map<string, string>()
    const by = labels.get(label)
    if (by === undefined ? labels.size < MAX_LABELS : path < by) labels.set(label, path)
    this.#links.set(href, {
      label: known?.label === '' ? label : (known?.label ?? label),
      count: (known?.count ?? 0) + 1,
      labels,
    })
  }

  pages(): KnownPage[] {
    return [...this.#pages].sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, MAX_PAGES)
  }

  links(): Site['links'] {
    return (
      [...this.#links]
        // A page that nothing links to may be meant for few.
        .sort((a, b) => b[1].count - a[1].count || (a[0] < b[0] ? -1 : 1))
        .slice(0, MAX_LINKS)
        .map(([href, { label, count, labels }]) => ({
          href,
          label,
          count,
          labels: inOrder(labels).map(([said, path]) => ({ label: said, path })),
        }))
    )
  }

  /** Ways to places on the start page, of those that are there. */
  places(): Site['places'] {
    return inOrder(this.#places)
      .filter(([href]) => this.#ids.has(href.replace(/^\/?#/, '')))
      .map(([href, label]) => ({ href, label }))
  }
}
