import { insertAt } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { isUtility } from '../../markup/kits.js'
import { type Element, elementsIn, given, type Page, wordsIn } from '../../markup/tree.js'
import { endsDead } from '../../pages-at.js'
import { anchorOf, classWord, isField, lineBreakBefore } from '../../surface.js'
import { nameOf, plain } from '../../uses.js'
import { standsAlongOpening } from '../act/along.js'
import { evidenceOf, indented, takenFor } from '../act/standing.js'
import { copyOf, kindOf, mainWays, withoutSpace } from '../act/ways.js'
import { isStartPage } from '../opening/hero.js'
import { staysBelow } from './below.js'
import { classText } from './screens.js'

const LONGEST_LABEL = 28
/** A light edge and a shadow around the button itself: sections of its own colour pass below it. */
const OUTLINED = '[filter:drop-shadow(0_0_1px_rgb(255_255_255/0.9))_drop-shadow(0_4px_10px_rgb(0_0_0/0.35))]'
/** A page that is shorter is seen whole soon enough. */
const FEWEST_PARTS = 5
const LONGEST = 5_500

/**
 * A long start page whose way to act scrolls away on phones: it stays at the lower edge of the window there, as the site has it elsewhere. Not where the bar goes along with one,
 * where anything else stays at the lower edge, where the page itself is filled in, where code shows the end of the page to others than its opening, nor on short pages.
 */
export function* actBelow(view: View): Generator<Idea> {
  const { page, site } = view
  if (site === null || !mayAskBelow(view)) return
  if (staysBelow(site, page) !== 'nothing') return
  const root = rootOf(page)
  if (root === null) return
  const best = mainWays(view, page.path)
  if (best.some(({ isFramed, isButton, isAlways }) => isFramed && isButton && isAlways)) return
  // What neither the opening nor the bar asks for is not what the page is there for.
  const opensHere = (path: string): boolean => site.openings[path]?.page === page.path
  if (!best.some(({ isFramed, path }) => isFramed || path === page.path || opensHere(path))) return
  const way = copyOf(best, page.path, page.path, site.parts)
  if (way === null || way.label.length > LONGEST_LABEL || endsDead(site, way.href, page.path)) return
  if (!isUtility(page) && !isStyled(way.copy.source)) return
  const last = lastOf(root, (one) => standsAlongOpening(page, site, one, way.href))
  if (last === undefined || last.tag === '#code' || last.end - last.start > LONGEST) return
  const taken = takenFor(page, way, way.copy.needs)
  if (taken === null) return
  const gap = lineBreakBefore(page, last)
  const isCut =
    site.clipped.includes('children') ||
    site.clipped.includes(plain(nameOf(page.path))) ||
    /overflow-/.test(classText(page, root))
  const place = isCut ? 'fixed inset-x-0' : 'sticky'
  // Where the page has a gap between its parts, one more would leave it twice at the end.
  const between = /(?:^|[\s"'`])(?:gap|gap-y|space-y)-(\d+)(?=[\s"'`])/.exec(classText(page, root))?.[1]
  const back = isCut || between === undefined ? '' : ` -mt-${between}`
  const open = `<div ${classWord(page)}="${place} bottom-4 z-40${back} flex justify-center px-4 ${OUTLINED} md:hidden">`
  yield {
    mechanism: 'friction',
    pattern: 'act-below-on-phones',
    name: `Keep “${way.label}” at the lower edge of the window on phones`,
    anchor: anchorOf(last, `${way.label} ${way.href}`),
    topics: ['mobile', 'call to action', 'button', kindOf(way) ?? '', way.label],
    arms: [
      {
        name: `“${way.label}” stays in sight on phones`,
        changes: [
          {
            ...insertAt(
              last.end,
              `${gap}${open}${indented(`${gap}  `, withoutSpace(way.copy))}${gap}</div>`,
              last,
            ),
            additions: taken,
          },
        ],
        says: null,
      },
    ],
    audience: 'visitors on phones',
    change: `showing the site’s own “${way.label}” (${way.href}) at the lower edge of the window all along the start page, where it scrolls away now,`,
    because:
      'the page is many screens long on a phone, and the next step is there as soon as one is ready for it',
    goal: kindOf(way) === 'sign up' ? 'sign up' : kindOf(way) === 'contact' ? 'contact' : 'click',
    when: `any link to ${way.href} is pressed, in all variants`,
    effect: 3,
    unless: 'act-in-bar-on-phones',
    ...(way.path === page.path ? {} : { evidence: evidenceOf(way) }),
  }
}

/** Whether the rest of the site could say what stays in sight on this page. */
export function mayAskBelow({ page, forms }: View): boolean {
  if (!isStartPage(page.path) || page.isTranslated === true) return false
  if (elementsIn(page.root).some(isField) || forms.length > 0) return false
  const root = rootOf(page)
  return root !== null && partsOf(root) >= FEWEST_PARTS
}

/** Whether the button brings its looks along in its classes, as utilities are written. */
const isStyled = (source: string): boolean =>
  /class(Name)?="[^"]*(?<=["\s])(bg|text|rounded|px|py|p)-/.test(source)

/** What holds all parts of a page: the element with most in it that is not in another one. */
function rootOf({ root, dialect }: Page): Element | null {
  const outer = root.children.filter((one): one is Element => one.kind === 'element')
  let found = outer.sort((a, b) => b.end - b.start - (a.end - a.start))[0] ?? null
  // A condition of Vue is the element's own: nothing can stand beside it in the same.
  if (found?.tag === '#code' && dialect === 'vue') found = elementsIn(found)[0] ?? null
  while (found !== null && /^(html|body)$/.test(found.tag)) {
    const [only, ...more] = found.children.filter(
      (one): one is Element => one.kind === 'element' && !/^(head|script|link|style)$/.test(one.tag),
    )
    if (found.tag === 'body' && (only === undefined || more.length > 0)) break
    found =
      found.tag === 'html' ? (elementsIn(found).find(({ tag }) => tag === 'body') ?? null) : (only ?? null)
  }
  return found
}

/** What a page ends with, where those see it whom it opens for: of a block of code the end of the branch that they see. */
function lastOf(root: Element, isSeen: (one: Element) => boolean): Element | undefined {
  const all = root.children.filter((one): one is Element => one.kind === 'element')
  if (root.tag === '#code') return all.findLast(isSeen)
  const last = all.at(-1)
  return last !== undefined && isSeen(last) ? last : undefined
}

/** How many parts a page has below each other. */
const partsOf = (root: Element): number =>
  Math.max(
    ...[root, ...elementsIn(root)]
      .filter(({ tag }) => /^(main|div|body|)$/.test(tag))
      .map(
        (one) =>
          one.children.filter(
            (child) =>
              child.kind === 'element' &&
              (/^[A-Z]/.test(child.tag) ||
                (/^(section|div)$/.test(child.tag) && wordsIn(child).length > 80)) &&
              !/^(head|helmet|seo|script|meta|title)/i.test(child.name) &&
              given(child, 'hidden') === null,
          ).length,
      ),
  )
