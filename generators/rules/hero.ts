import { wordsOfCode } from '../page/forms.js'
import { above, elementsIn, given, type PageElement, type PageTree } from '../page/tree.js'

/** The beginning of a site, or the part of a page that is its opening. */
export const IS_START =
  /^((index|home)\.\w+|(.*\/)?((pages|src|app|public|views|routes|www|home\w*|landing\w*|\([^)]*\))\/index\.\w+|(home|landing|welcome|start|accueil|inicio)(page|screen|view)?\.\w+|App\.\w+|(app|routes|src|pages)\/(\([^)]*\)\/)*\+?page\.\w+))$/i
const IS_OPENING = /\b(hero|banner|jumbotron|intro|landing)\b/i
/** Pages that ask for one thing already, or that nothing is decided on. */
export const ASKS =
  /404|not-?found|error|log-?in|sign-?in|sign-?up|register|anmeld|checkout|cart|basket|account|password|success|confirm|thank|orders?\b|wish-?list|search/i

/** Whether a file is the opening of a page, by its name. */
export const isOpeningPart = (path: string): boolean =>
  IS_OPENING.test(wordsOfCode(path.split('/').at(-1) ?? ''))

/** The block around the page's title: its section or header, or the heading's own parent. */
export function heroOf(page: PageTree): { title: PageElement; hero: PageElement } | null {
  const titles = elementsIn(page.root).filter(({ name }) => name === 'h1')
  const [title] = titles
  const parent = title?.parent ?? null
  if (title === undefined || titles.length > 1 || parent === null || /^(#code)?$/.test(parent.tag))
    return null
  const block = [...above(title)].find(
    (one) =>
      /^(section|header)$/.test(one.name) ||
      /(^|[\s_-])(hero|jumbotron|banner|intro)/i.test(given(one, 'class') ?? ''),
  )
  // A file that is the opening shows nothing else.
  return { title, hero: isOpeningPart(page.path) ? page.root : (block ?? parent) }
}
