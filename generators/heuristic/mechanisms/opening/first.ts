import { above, type Element, elementsIn, type Page, wordsIn } from '../../markup/tree.js'

/** What says nothing to visitors, or stands around pages. */
const AROUND =
  /(^|[a-z-])(header|nav|navbar|topbar|appbar|head|helmet|seo|meta|script|schema|analytics|tracking|tracker|scrolltotop|consent|cookies?|announcement|toaster|toast|preload|fonts|styles?|jsonld|json-ld|providers?|breadcrumbs?|spacer|divider|background|cursor|preloader|loader)$/i
const NO_WORDS =
  /^(head|script|style|link|meta|title|noscript|nav|aside|svg|img|image|picture|video|source|template|footer)$/i
const HEROES = /hero|banner|jumbotron|masthead|landing|intro/i

/** Things that code may show or not: what opens the page is not told. */
export const UNTOLD = '#'

/**
 * The part with which a page opens, by its tag: the first one that could show words, where none of the page's own stand before. `null` where the page opens itself,
 * `UNTOLD` where code decides.
 */
export function opensWith(page: Page): string | null {
  return firstIn(page.root) ?? null
}

/** `undefined`: nothing in it can be seen as words. */
function firstIn(element: Element): string | null | undefined {
  for (const child of element.children) {
    if (child.kind === 'text') return null
    const found = firstOf(child)
    if (found !== undefined) return found
  }
  return element.hasCode ? UNTOLD : undefined
}

function firstOf(child: Element): string | null | undefined {
  const { tag } = child
  if (NO_WORDS.test(tag)) return undefined
  if (tag === 'header')
    return elementsIn(child).some(({ name }) => /^h[12]$/.test(name)) ? firstIn(child) : undefined
  if (tag === '#code') return UNTOLD
  // A title says something, whatever gives it its words.
  if (/^h[12]$/.test(tag) && (child.hasCode || child.children.length > 0)) return null
  const isPart = /^[A-Z]/.test(tag) || /^[a-z]+-[a-z-]+$/.test(tag)
  if (!isPart) return firstIn(child)
  if (AROUND.test(tag)) return undefined
  const inner = child.children.filter((one) => !isGiven(child, one))
  if (inner.length === 0) return /^(motion|animated)\./.test(tag) ? undefined : tag
  // A part that is called an opening is one, with what it is given to show.
  if (HEROES.test(tag) && inner.every((one) => one.kind === 'element' && wordsIn(one) === '')) return tag
  return firstIn({ ...child, children: inner })
}

/** What a part is given to show as an attribute. */
const isGiven = (part: Element, one: Element['children'][number]): boolean =>
  part.attributes.some(({ start, end }) => one.start >= start && one.end <= end)

/** Files that stand around pages, and what they show there. */
const AROUND_PAGES = /(^|\/)(_?app|root|[\w-]*layout|[\w-]*shell)\.([jt]sx?|vue|svelte)$/i
const PAGE_PLACE =
  /\{\s*(?:props\.)?children\s*\}|<slot\b|<(?:Outlet|Routes|Switch|router-view|RouterView|NuxtPage)\b|\{@render children/
/** Where code leaves something out on the page with which a site begins. */
const NOT_AT_ROOT = /!==?\s*["'`]\/["'`]|!\s*is(?:Home|Landing|Start|Root|Index)/i

/** The parts and titles that stand above the pages which a file is around, by tags: one of them may be what the site opens with. None for all other files. */
export function aboveOf({ root, text, path }: Page): string[] {
  const all = elementsIn(root)
  // What is handed in is named where the part begins, too.
  const from = all[0]?.start ?? text.length
  const found = AROUND_PAGES.test(path) ? text.slice(from).search(PAGE_PLACE) : -1
  if (found < 0) return []
  const at = from + found
  return all
    .filter(({ tag, end }) => end <= at && (/^[A-Z]/.test(tag) || tag === 'h1') && !AROUND.test(tag))
    .filter((one) => ![...above(one)].some((outer) => AROUND.test(outer.tag) || isLeftOutAtRoot(text, outer)))
    .map(({ tag }) => tag)
}

const isLeftOutAtRoot = (text: string, { tag, start, children }: Element): boolean =>
  tag === '#code' && NOT_AT_ROOT.test(text.slice(start, children[0]?.start ?? start))
