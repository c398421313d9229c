import { insertAt } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { above, type Element, elementsIn, has, type Page, wordsIn } from '../../markup/tree.js'
import { anchorOf, isHeading, isLink, labelOf } from '../../surface.js'

/**
 * Images that are all that a link shows, and have no text: they say what the heading of their card says. Not where the link has words or a name of its own, where the
 * card has several headings, nor where the heading is no more than one text or one value.
 */
export function* images(view: View): Generator<Idea> {
  yield* linkedImages(view)
  yield* picturesOfCards(view)
}

function* linkedImages({ page }: View): Generator<Idea> {
  const changed: { image: Element; text: string; says: string }[] = []
  for (const image of elementsIn(page.root)) {
    if (!/^(img|image|nuxtimg|nuxt-img)$/.test(image.name) || has(image, 'alt') || has(image, ':alt'))
      continue
    if (page.text.slice(image.start, image.end).includes('{...')) continue
    const link = [...above(image)].find(isLink)
    if (link === undefined || wordsIn(link) !== '' || has(link, 'aria-label') || has(link, 'title')) continue
    const card = [...above(link)].find((one) => elementsIn(one).some(isHeading))
    const [heading, ...more] = card === undefined ? [] : elementsIn(card).filter(isHeading)
    if (heading === undefined || more.length > 0 || /^(body|html|main|)$/.test(card?.tag ?? '')) continue
    const said = altFrom(page, heading)
    if (said !== null) changed.push({ image, ...said })
  }
  const [first] = changed
  if (first === undefined || changed.length > 8) return
  const { image, says } = first
  yield {
    mechanism: 'clarity',
    pattern: 'linked-image-text',
    name: `Say what linked images show: ${says}`,
    anchor: anchorOf(image, says),
    topics: ['image', 'alt', 'accessibility', says],
    arms: [
      {
        name: 'Images with text',
        changes: changed.map((one) =>
          insertAt(one.image.start + 1 + one.image.tag.length, ` ${one.text}`, one.image),
        ),
        says: null,
      },
    ],
    audience: 'visitors who hear the page, or whose images do not load',
    change: `naming ${changed.length === 1 ? 'the image' : `${changed.length} images`} by the heading of the card (${says}), where the link has no words at all`,
    because: 'a link without words says nothing where its image is not seen',
    goal: 'click',
    effect: 1,
  }
}

const MAX_PICTURES = 12

/**
 * Pictures of several cards of one kind, without a text of their own: each is named by the heading of its card. Not what is said to be an ornament, nor where a card has
 * several pictures or headings.
 */
function* picturesOfCards({ page }: View): Generator<Idea> {
  const changed = elementsIn(page.root).flatMap((image) => {
    if (!/^(img|image)$/.test(image.name) || has(image, 'alt') || has(image, ':alt')) return []
    if (has(image, 'role') || has(image, 'aria-hidden') || [...above(image)].some(isLink)) return []
    if (page.text.slice(image.start, image.end).includes('{...')) return []
    const card = image.parent
    const inner = card === null || /^(body|html|main|)$/.test(card.tag) ? [] : elementsIn(card)
    const [heading, ...more] = inner.filter(isHeading)
    const isOne = inner.filter(({ name }) => name === image.name).length === 1
    const said = heading === undefined || more.length > 0 || !isOne ? null : altFrom(page, heading)
    return said === null ? [] : [{ image, ...said }]
  })
  const [first] = changed
  if (first === undefined || changed.length < 2 || changed.length > MAX_PICTURES) return
  yield {
    mechanism: 'clarity',
    pattern: 'picture-text',
    name: `Say what pictures show: ${changed
      .slice(0, 3)
      .map(({ says }) => says)
      .join(', ')}`,
    anchor: anchorOf(first.image, first.says),
    topics: ['image', 'alt', 'accessibility', ...changed.map(({ says }) => says)],
    arms: [
      {
        name: 'Pictures with text',
        changes: changed.map(({ image, text }) =>
          insertAt(image.start + 1 + image.tag.length, ` ${text}`, image),
        ),
        says: null,
      },
    ],
    audience: 'visitors who hear the page, or whose images do not load',
    change: `naming ${changed.length} pictures by the headings of their cards`,
    because: 'who does not see a picture learns nothing of it now, and search engines neither',
    goal: 'click',
    effect: 1,
  }
}

/** The heading's words as an attribute, or the value that it shows. */
function altFrom(page: Page, heading: Element): { text: string; says: string } | null {
  const label = labelOf(heading)
  if (label !== null)
    return label.key !== undefined || /["<>{}&]/.test(label.value)
      ? null
      : { text: `alt="${label.value}"`, says: `“${label.value}”` }
  const [code, ...more] = elementsIn(heading).filter(({ tag }) => tag === '#code')
  if (code === undefined || more.length > 0 || page.dialect !== 'jsx' || wordsIn(heading) !== '') return null
  const value = page.text.slice(code.start, code.end)
  return /^\{[\w.?]+\}$/.test(value) ? { text: `alt=${value}`, says: value.slice(1, -1) } : null
}
