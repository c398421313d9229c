import type { Node } from './imports.js'
import { isShownByPlace } from './reach.js'
import { NO_PAGE, plain } from './uses.js'

const HTML = /\.html?$/i
const SOURCE = /\.([jt]sx|vue|svelte)$/i
/** What is served as it is, and what a server fills in, whose code is not read. */
const SERVED =
  /(^|\/)(public|static|wwwroot|htdocs|templates?|views|layouts?|partials|_?includes|_layouts)\//i
/** A site of its own beside the program. */
const OWN_SITE =
  /^(?:(?:apps|packages|sites)\/)?(landing(?:-?page)?|website|site|www|web|marketing|homepage)\//i
/** What somebody has drawn, kept or tried: a folder or a file that is called so, also with a number. */
const DRAFT =
  /(^|[/ _.-])(mock-?ups?|maquettes?|mocks?|drafts?|entw[uü]rfe?|wireframes?|old|backups?|bak|copy|kopie|copie|staging|unused)(?=[ _.-]?(v?\d+|\(\d+\))?(\/|\.html?$))/i
/** The same, as the whole name: at the end of a longer one it may be what a page is about. */
const DRAFT_ALONE =
  /(^|\/)(designs?|prototypes?|exports?|archived?|archives?|legacy|tests?|refs?|inspiration)([ _.-]?v?\d+)?(\/|\.html?$)/i
/** What a kit fills in. */
const SHELL = /(^|\/)src\/(app|error)\.html$/

const bareOf = (from: string): string => from.replace(/^[./]+/, '')
const nameIn = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** Whether another file that is no stray names a page by its file. */
function isNamed(path: string, nodes: readonly Node[], strays: ReadonlySet<string>): boolean {
  const [whole, bare] = [plain(nameIn(path)), plain(nameIn(path).replace(HTML, ''))]
  const isIndex = /^index$/.test(bare)
  const folder = folderOf(path)
  const isKept = DRAFT.test(folder) || DRAFT_ALONE.test(folder)
  return nodes.some(
    (node) =>
      node.path !== path &&
      !strays.has(node.path) &&
      !NO_PAGE.test(node.path) &&
      // A page of the same name is another one.
      (!isKept || node.imports.takes.some(({ from }) => from.includes('/') && path.endsWith(bareOf(from)))) &&
      (isIndex
        ? HTML.test(node.path) && node.uses.includes(plain(folderOf(path).split('/').at(-2) ?? ''))
        : node.uses.includes(whole) || (HTML.test(node.path) && node.uses.includes(bare))),
  )
}

/** Whether the site is made by a framework from its sources: these are most of its pages. */
const isMade = (nodes: readonly Node[], html: readonly Node[]): boolean => {
  const pages = nodes.filter(({ path }) => SOURCE.test(path) && isShownByPlace(path) && !NO_PAGE.test(path))
  return pages.length > 0 && pages.length >= html.filter(({ path }) => !SERVED.test(path)).length
}

/**
 * HTML files that nobody is shown: drafts by the name of their folder or their own, where there are other pages; and in a site that a framework makes all but the file
 * that begins a program, what is served as it is, a site of its own in a folder that says so, and what other files name.
 */
export function strayPages(nodes: readonly Node[]): ReadonlySet<string> {
  const html = nodes.filter(({ path }) => HTML.test(path))
  if (html.length === 0) return new Set()
  const drafts = html.map(({ path }) => path).filter((path) => DRAFT.test(path) || DRAFT_ALONE.test(path))
  const hasOthers = nodes.some(({ path }) => isShownByPlace(path) && !drafts.includes(path))
  const sources = nodes.filter(({ path }) => SOURCE.test(path))
  const files = new Set(html.map(({ path }) => path))
  const beginsProgram = ({ path, imports }: Node): boolean =>
    (/(^|\/)index\.html?$/i.test(path) && sources.some((one) => one.path.startsWith(folderOf(path)))) ||
    imports.takes.some(({ from }) => /(^|\/)src\/|\.tsx?$/.test(from))
  const isOwnSite = (path: string): boolean =>
    OWN_SITE.test(path) || (path.startsWith('docs/') && files.has('docs/index.html'))
  const outside = !isMade(nodes, html)
    ? []
    : html
        .filter((one) => !beginsProgram(one))
        .map(({ path }) => path)
        .filter((path) => !SERVED.test(path) && !SHELL.test(path) && !isOwnSite(path))
  const strays = new Set([...(hasOthers ? drafts : []), ...outside])
  // What a page names is one, and so is what that names.
  for (let size = -1; size !== strays.size; ) {
    size = strays.size
    for (const path of strays) if (isNamed(path, nodes, strays)) strays.delete(path)
  }
  return strays
}
