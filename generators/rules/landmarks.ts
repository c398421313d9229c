import { addButtons, type Buttons } from '../page/buttons.js'
import { addressesIn, namedRoutesIn } from '../page/destinations.js'
import { isVisitorPage, isWorkplace } from '../page/page-paths.js'

/** `<a class="btn">` */
const LINK_CLASS =
  /<(?:a|Link|NavLink|NuxtLink|RouterLink|router-link)\b[^<>]{0,400}?\bclass(?:Name)?=["'{`]{1,2}([^"'`{}<>]{1,300})/g
const ID = /\bid=\{?["'`]([\w-]+)["'`]/g

/** Targets that a site has, and acts of its own buttons, gathered file by file. */
export class Landmarks implements Buttons {
  readonly acts = new Map<string, boolean>()
  readonly pressed = new Set<string>()
  /** the ids of elements in all files */
  readonly ids = new Set<string>()
  /** classes of links in all files */
  readonly linkClasses = new Set<string>()
  /** pages of one word that files name, `/contact`, each with such a file */
  readonly addresses = new Map<string, string>()
  /** the addresses of routes by their names */
  readonly routes = new Map<string, string>()

  add(path: string, text: string): void {
    addButtons(path, text, this)
    for (const [, id = ''] of text.matchAll(ID)) this.ids.add(id)
    for (const [, said = ''] of text.matchAll(LINK_CLASS))
      for (const name of said.split(/\s+/)) this.linkClasses.add(name)
    for (const [name, to] of namedRoutesIn(text)) this.routes.set(name, to)
    if (!isVisitorPage(path) || isWorkplace(path) || /\.html?$/i.test(path)) return
    for (const to of addressesIn(text)) this.addresses.set(to, path)
  }
}
