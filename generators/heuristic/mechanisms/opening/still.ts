import type { Change } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { type Element, elementsIn, given, type Page, wordsIn } from '../../markup/tree.js'
import { anchorOf, cutAt, headingNear, isHeading } from '../../surface.js'

const SLIDES = /(carousel|slider|swiper|slideshow|slick)/i
/** Names and pictures that pass by are not read one after the other. */
const PASSES_BY = /logo|brand|client|partner|sponsor|marquee|ticker|gallery|instagram/i

/** How slides are told to move on by themselves, and what tells them not to. */
function stilled({ text, dialect }: Page, element: Element): Change | null {
  for (const one of element.attributes) {
    const written = text.slice(one.start, one.end)
    if (/^data-(bs-)?ride$/.test(one.name) && one.value === 'carousel' && one.own !== null)
      return { ...one.own, text: 'false', unit: element }
    if (one.name === 'data-autoplay' && one.value === 'true' && one.own !== null)
      return { ...one.own, text: 'false', unit: element }
    if (dialect === 'jsx' && /^auto-?play$/.test(one.name) && /^[A-Z]/.test(element.tag)) {
      if (/^\w+$|=\{true\}$|=\{\{[^{}]*\}\}$/.test(written))
        return {
          start: one.start,
          end: one.end,
          text: `${written.split('=')[0] ?? written}={false}`,
          unit: element,
        }
    }
    if (
      dialect === 'vue' &&
      /^:auto-?play$/.test(one.name) &&
      one.own !== null &&
      /^\d+$|^true$|^\{[^{}]*\}$/.test(text.slice(one.own.start, one.own.end))
    )
      return {
        ...one.own,
        text: /^\d+$/.test(text.slice(one.own.start, one.own.end)) ? '0' : 'false',
        unit: element,
      }
  }
  return null
}

/**
 * Slides with headings or texts that move on by themselves: they wait for whoever reads. Writes no text. Not for rows of logos and pictures, which are not read, nor
 * where nothing lets one go on by hand, so that the others would never be seen.
 */
export function* still({ page }: View): Generator<Idea> {
  for (const element of elementsIn(page.root)) {
    const named = `${element.tag} ${given(element, 'id') ?? ''} ${given(element, 'class') ?? ''}`
    if (!SLIDES.test(named) || PASSES_BY.test(`${named} ${page.path} ${headingNear(element)}`)) continue
    const change = stilled(page, element)
    if (change === null || element.end - element.start > 5_000) continue
    const inner = elementsIn(element)
    const isRead = inner.some(isHeading) || wordsIn(element).length > 80
    const goesOn =
      /prev|next|arrow|indicator|dots|pagination|navigation/i.test(
        page.text.slice(element.start, element.end),
      ) || inner.some(({ tag }) => /(Next|Previous|Prev)$/.test(tag))
    if (!isRead || !goesOn) continue
    const heading = inner.find(isHeading)
    const what = heading === undefined ? '' : wordsIn(heading)
    yield {
      mechanism: 'friction',
      pattern: 'slides-wait',
      name: `Let the slides wait until somebody goes on${what === '' ? '' : `: “${cutAt(what, 50)}”`}`,
      anchor: anchorOf(element, 'slides'),
      topics: ['carousel', 'slider', 'hero', what],
      arms: [{ name: 'Slides wait', changes: [change], says: null }],
      audience: 'visitors who are still reading the first slide',
      change: 'keeping each slide until one goes on by hand, in place of moving on by themselves',
      because: 'what moves away while it is read is neither understood nor pressed',
      goal: 'click',
      effect: 1,
    }
    return
  }
}
