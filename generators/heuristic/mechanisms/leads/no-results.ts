import { type Change, insertAt } from '../../edits.js'
import type { Evidence, Idea, View } from '../../idea.js'
import { type Element, elementsIn, given, has, type Page, type Text, textsIn } from '../../markup/tree.js'
import { programOf } from '../../reach.js'
import { anchorOf, bare, isLink, labelOf, lineBreakBefore } from '../../surface.js'
import type { Language } from '../../words/language.js'
import { BROWSES, branchOf, leadsOn, SHOP } from './shelves.js'

/** That a search has found nothing. */
const NOTHING_FOUND: Readonly<Record<Language, RegExp>> = {
  en: /^(sorry,? )?(no|0) (results|matches|products)\b(?!.*\b(yet|selection|category)\b)|^(sorry,? )?nothing (was )?found\b/i,
  de: /^(leider )?(keine (ergebnisse|treffer|produkte)\b|nichts gefunden\b)/i,
  fr: /^(désolé,? )?(aucun (résultat|produit)(?!\p{L})|rien trouvé)/iu,
  es: /^(lo sentimos,? )?(no (hay|se encontraron) (resultados|productos)|sin resultados)\b/i,
}
/** Pages of a search for what there is to buy; what opens below a field while one types goes with it. */
const SEARCHES =
  /(^|[/_.-])(search|suche|recherche|buscar?|busqueda)(?=[/_.-]|$)|Search(?!\w*(Form|Bar|Box|Input|Field))/
const ASIDE =
  /predictive|auto-?complete|suggest|instant|modal|drawer|dropdown|popover|account|orders?|admin|docs?(?=[/_.-]|$)/i
/** Who has searched does not begin. */
const BEGINS = /^(start|commencer|empezar|jetzt)\b/i

/** Whether a page says that a search has found nothing, so that ways to all that there is are worth knowing. */
export const mayFindNothing = ({ page, language }: View): boolean =>
  language !== null && isSearch(page) && emptyLine(page, language) !== undefined

const isSearch = ({ path }: Page): boolean => SEARCHES.test(path) && !ASIDE.test(path)

const emptyLine = (page: Page, language: Language): Text | undefined =>
  textsIn(page.root).find((text) => NOTHING_FOUND[language].test(text.value) && text.value.length <= 120)

/**
 * A shop's search that finds nothing and leads nowhere: the link with which the site leads to all that it has stands below it. In the site's own words, and as a plain link, so only
 * in files whose links are that. Not where something leads on already, nor where code gives a part of what is said.
 */
export function* noResults(view: View): Generator<Idea> {
  const { page, language, site } = view
  if (language === null || site === null || page.isTranslated === true || page.dialect !== 'jsx') return
  const text = isSearch(page) ? emptyLine(page, language) : undefined
  const line = text?.parent
  if (text === undefined || line === undefined || text.key !== undefined || labelOf(line) !== text) return
  if (!/^(p|h[2-6]|div)$/.test(line.tag) || given(line, 'class') !== null) return
  const branch = line.parent?.parent == null ? line : branchOf(line)
  if (branch.hasCode || leadsOn(branch)) return
  const way = wayToAll(view, language)
  const link = plainLink(page)
  if (way === null || link === null) return
  const added = `<p><${link.tag} ${link.name}="${way.href}">${way.says}</${link.tag}></p>`
  yield {
    mechanism: 'friction',
    pattern: 'no-results-way-on',
    name: `Lead on from “${text.value}”: “${way.says}”`,
    anchor: anchorOf(line, text.value),
    topics: ['search', 'empty state', 'shop', text.value, way.says],
    arms: [{ name: `“${way.says}” below it`, changes: [below(page, line, added)], says: null }],
    audience: 'visitors whose search finds nothing',
    change: `showing “${way.says}” (${way.href}), as ${way.path} says it, below “${text.value}”, where nothing leads on now,`,
    because:
      'who searches has come to find something, and what is not found by its name may be found by looking',
    goal: 'cart',
    effect: 3,
    evidence: [
      { path: way.path, says: way.says },
      { path: way.path, says: way.href },
    ],
  }
}

/** The words with which the site leads to all that it has, and where that is. */
function wayToAll({ page, site }: View, language: Language): (Evidence & { href: string }) | null {
  const ways = (site?.links ?? [])
    .filter(({ href }) => SHOP.test(href) && !/search/i.test(href))
    .flatMap(({ href, labels }) => labels.map(({ label, path }) => ({ href, says: label, path })))
    .filter(
      ({ says, path }) => BROWSES[language].test(bare(says)) && programOf(path) === programOf(page.path),
    )
  return ways.find(({ says }) => !BEGINS.test(says)) ?? ways[0] ?? null
}

/** How the file writes its links, where none of them has a look of its own. */
function plainLink({ root }: Page): { tag: string; name: 'href' | 'to' } | null {
  const links = elementsIn(root).filter(isLink)
  const [first] = links
  if (first === undefined || links.some((one) => given(one, 'class') !== null || has(one, 'style')))
    return null
  return { tag: first.tag, name: has(first, 'to') ? 'to' : 'href' }
}

/** Below a line; where it is all that code shows in one place, the two are held together. */
function below(page: Page, line: Element, added: string): Change {
  const gap = lineBreakBefore(page, line)
  const isAlone = line.parent === null || line.parent.tag === '#code' || line.parent.parent === null
  if (!isAlone) return insertAt(line.end, (gap || ' ') + added, line)
  const own = page.text.slice(line.start, line.end)
  return {
    start: line.start,
    end: line.end,
    text: `<>${gap}${own}${gap || ' '}${added}${gap}</>`,
    unit: line,
  }
}
