import { insertAt, removeWith } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { above, besides, type Element, elementsIn, given, wordsIn } from '../../markup/tree.js'
import { anchorOf, isButton, isField, isHeading, lineBreakBefore, saidOn, sourceOf } from '../../surface.js'
import { plain } from '../../uses.js'
import { goalOfForm, theForm } from '../forms/called.js'
import { isComponent, isPlaceholder, partName, VOICES } from '../layout/blocks.js'
import { fits, headingOf, lookOfBlock } from '../layout/neighbours.js'

const LONGEST = 14_000
const CLASSES = /(^|[\s_-])(stimmen|testimonials?|reviews?|avis|t[eé]moignages?|opiniones|quotes)([\s_-]|$)/i
/** Where people write what is read below, or come who have decided already. */
const WRITES =
  /review|comment|rating|bewert|rezension|kommentar|\bavis\b|commentaire|rese[ñn]a|opini|log-?in|sign-?in|anmelden|connexion|search|subscrib|newsletter/i
const NO_PLACE = /(^|[/_.-])(blog|posts?|articles?|docs?|admin|account|settings|dashboard)(?=[/_.-]|$)/i

const CALLED_UP =
  /modal|dialog|overlay|popup|drawer|offcanvas|lightbox|display:\s*none|position:\s*fixed|(^|[\s-])mobile/i

/**
 * What others say, which stands behind the form that a page is there for: it comes right before it. Writes no text. Not where others speak before it too, nor for forms
 * in which that is written, nor where the form opens the page.
 */
export function* voicesAtForm(view: View): Generator<Idea> {
  const { page, forms } = view
  const asking = forms.filter(({ fields }) => fields.length >= 2)
  const [form, ...more] = asking
  if (form === undefined || more.length > 0 || NO_PLACE.test(page.path)) return
  if (form.purpose === 'sign in' || form.purpose === 'search' || form.purpose === 'subscribe') return
  if (
    WRITES.test(
      `${form.heading} ${form.submit === null ? '' : saidOn(form.submit)} ${given(form.element, 'class') ?? ''}`,
    )
  )
    return
  // What is called up over the page stands nowhere in it.
  if (
    [form.element, ...above(form.element)].some((one) =>
      CALLED_UP.test(`${given(one, 'id') ?? ''} ${given(one, 'class') ?? ''} ${given(one, 'style') ?? ''}`),
    )
  )
    return
  const found = [form.element, ...above(form.element)].flatMap((block) => behind(view, block) ?? [])[0]
  if (found === undefined || isOpening(found.block, page)) return
  const { row, block, at, voices } = found
  const gap = lineBreakBefore(page, block) || ' '
  const own = headingOf(view, voices)
  const many = lookOfBlock(view, voices)?.voices ?? null
  if (!fits(view, row, { at, after: row.indexOf(block) - 1, last: -1 })) return
  yield {
    mechanism: 'proof',
    pattern: 'voices-at-form',
    name: `Show what others say right before ${theForm(form, page.path)}${own === '' ? '' : `: “${own}”`}`,
    anchor: anchorOf(voices, partName(voices) || own),
    topics: ['sections', 'form', 'social proof', form.heading, own],
    arms: [
      {
        name: 'What others say before the form',
        changes: [
          { ...insertAt(block.start, sourceOf(page, voices) + gap, block), longest: LONGEST },
          { ...removeWith(lineBreakBefore(page, voices), voices), longest: LONGEST },
        ],
        says: null,
      },
    ],
    audience: 'visitors who read the page to decide',
    change: `showing what others say right before ${theForm(form, page.path)}, and not behind its button,`,
    because: 'who fills in the form has decided, and nobody reads on behind its button to be convinced',
    goal: goalOfForm(form),
    effect: many === 1 ? 2 : 4,
  }
}

interface Found {
  row: readonly Element[]
  block: Element
  voices: Element
  at: number
}

/** The block in which others speak, after the one with the form and beside it, where none stands before. */
function behind(view: View, block: Element): Found | null {
  const row = besides(block).filter(({ tag }) => tag !== '#code')
  const place = row.indexOf(block)
  const at = row.findIndex((one, index) => index > place && isVoices(one))
  const voices = row[at]
  if (place < 1 || voices === undefined || row.slice(0, place).some(isVoices)) return null
  if (elementsIn(voices).some((one) => isField(one) || isButton(one)) || isPlaceholder(voices)) return null
  // What a template fills in may be nothing.
  if (view.page.dialect === 'html' && /\{[{%]/.test(sourceOf(view.page, voices))) return null
  if (voices.end - voices.start > LONGEST || block.end - block.start > LONGEST) return null
  const part = view.site?.parts[plain(voices.tag)]
  if (isComponent(voices) && (part === undefined || part.isStandIn || part.asks)) return null
  return { row, block, voices, at }
}

const isVoices = (one: Element): boolean =>
  (isComponent(one) || /^(section|div|aside|article|ul)$/.test(one.tag)) &&
  (CLASSES.test(given(one, 'class') ?? '') ||
    VOICES.test(partName(one)) ||
    elementsIn(one).filter(({ tag }) => tag === 'blockquote').length >= 2) &&
  (isComponent(one) || wordsIn(one).length > 60)

/** Whether a page begins with a block: nothing goes before its title. */
const isOpening = (block: Element, { root }: View['page']): boolean => {
  const title = elementsIn(root).find(({ name }) => name === 'h1') ?? elementsIn(root).find(isHeading)
  return title === undefined || title.end > block.start
}
