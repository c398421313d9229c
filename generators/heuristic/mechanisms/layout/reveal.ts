import { type Change, insertAt } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import {
  attribute,
  besides,
  type Element,
  elementsIn,
  given,
  has,
  isInCode,
  wordsIn,
} from '../../markup/tree.js'
import { anchorOf, headingNear, isHeading } from '../../surface.js'

/** What is folded away, and by which words of a page or its path it is told. */
const FOLDED: readonly { is: RegExp; what: string; name: string; audience: string; goal: Idea['goal'] }[] = [
  {
    is: /\b(faqs?|questions?|fragen|preguntas)\b/i,
    what: 'answer',
    name: 'the first answer of the questions',
    audience: 'visitors who still have a question',
    goal: 'click',
  },
  {
    is: /\bproducts?\b.*\b(tabs?|details?|info\w*|accordion|shipping|returns|description)\b|\b(shipping|delivery) (and|&) returns\b/i,
    what: 'part',
    name: 'the first part of the product’s details',
    audience: 'visitors who look at a product',
    goal: 'purchase',
  },
]

/**
 * Questions and answers, or details of a product, that are all closed: the first is open, so that one sees that there are answers. Writes no text. Not for fewer than
 * three, nor where one is open already.
 */
export function* reveal({ page }: View): Generator<Idea> {
  const about = `${page.path.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[/_.-]/g, ' ')} ${elementsIn(
    page.root,
  )
    .filter(isHeading)
    .map((one) => wordsIn(one))
    .join(' ')}`
  const found = FOLDED.find(({ is }) => is.test(about))
  // Answers that nobody has written yet are worth no test.
  if (found === undefined || /lorem ipsum/i.test(wordsIn(page.root))) return
  for (const element of elementsIn(page.root)) {
    const changes = openedBy(page, element)
    if (changes === null) continue
    yield {
      mechanism: 'default choice',
      pattern: 'first-answer-open',
      name: `Show ${found.name} opened`,
      anchor: anchorOf(element),
      topics: ['faq', 'questions', headingNear(element), found.name],
      arms: [{ name: `First ${found.what} open`, changes, says: null }],
      audience: found.audience,
      change: `showing the first ${found.what} opened when the page comes, and all others closed as now`,
      because: `an open ${found.what} shows what the closed lines hold, so that more of them are opened and read`,
      goal: found.goal,
      effect: 1,
    }
    return
  }
}

const LEAST = 3

/** What opens the first of several, where an element is it or holds them all. */
function openedBy(page: View['page'], element: Element): Change[] | null {
  if (element.tag === 'details') return openedDetails(element)
  if (element.tag === 'input') return openedRadio(page, element)
  if (/^Accordion(\.Root)?$/.test(element.tag)) return openedAccordion(page, element)
  return openedCollapse(page, element)
}

function openedDetails(element: Element): Change[] | null {
  const row = besides(element).filter(({ tag }) => tag === element.tag)
  const isFirst = row.length >= LEAST && row[0] === element && row.every((one) => !has(one, 'open'))
  // Where code hears of it, code decides what is open.
  return isFirst && !isInCode(element) && !has(element, 'ontoggle')
    ? [insertAt(element.start + '<details'.length, ' open', element)]
    : null
}

/** Buttons of one choice that fold by style alone. */
function openedRadio(page: View['page'], element: Element): Change[] | null {
  const name = given(element, 'name')
  if (given(element, 'type') !== 'radio' || name === null || !/accordion|faq|collapse/i.test(name))
    return null
  const all = elementsIn(page.root).filter((one) => one.tag === 'input' && given(one, 'name') === name)
  const isOpen = all.some((one) => ['checked', 'defaultchecked', ':checked'].some((what) => has(one, what)))
  if (all[0] !== element || all.length < LEAST || isOpen || isInCode(element)) return null
  const checked = page.dialect === 'jsx' ? ' defaultChecked' : ' checked'
  return [insertAt(element.start + '<input'.length, checked, element)]
}

/** Components that are told which of their items is open. */
function openedAccordion(page: View['page'], element: Element): Change[] | null {
  const isTold = ['defaultvalue', 'value', 'defaultactivekey', 'activekey'].some((name) => has(element, name))
  if (page.dialect !== 'jsx' || isTold) return null
  const items = elementsIn(element).filter(({ tag }) => /^Accordion\.?Item$/.test(tag))
  const [first] = items
  if (first === undefined || items.length < LEAST) return null
  const key = given(first, 'eventkey')
  const value = given(first, 'value')
  const type = given(element, 'type')
  const quoted = (text: string): string | null => (/["'{}<>&\\]/.test(text) ? null : text)
  const own =
    key !== null && quoted(key) !== null
      ? ` defaultActiveKey="${key}"`
      : value === null || value === '' || quoted(value) === null
        ? null
        : type === 'single'
          ? ` defaultValue="${value}"`
          : type === 'multiple'
            ? ` defaultValue={['${value}']}`
            : null
  return own === null ? null : [insertAt(element.start + 1 + element.tag.length, own, element)]
}

const COLLAPSE = /(^|\s)(accordion-)?collapse(?=\s|$)/

/** Parts that a script of the page folds by their classes, each with what opens it. */
function openedCollapse(page: View['page'], element: Element): Change[] | null {
  const own = attribute(element, 'class')
  const id = given(element, 'id')
  if (own?.own == null || own.value === null || id === null || !COLLAPSE.test(own.value) || isInCode(element))
    return null
  if (
    !has(element, 'data-parent') &&
    !has(element, 'data-bs-parent') &&
    !/accordion-collapse/.test(own.value)
  )
    return null
  const all = elementsIn(page.root).filter(
    (one) => COLLAPSE.test(given(one, 'class') ?? '') && has(one, 'id'),
  )
  if (all[0] !== element || all.length < LEAST) return null
  if (all.some((one) => /(^|\s)show(?=\s|$)/.test(given(one, 'class') ?? ''))) return null
  const opener = elementsIn(page.root).find((one) =>
    ['data-target', 'data-bs-target', 'href'].some((name) => given(one, name) === `#${id}`),
  )
  const folded = opener === undefined ? undefined : attribute(opener, 'class')
  const told = opener === undefined ? undefined : attribute(opener, 'aria-expanded')
  return [
    { ...own.own, text: `${own.value} show`, unit: element },
    ...(opener !== undefined && folded?.own != null && /(^|\s)collapsed(?=\s|$)/.test(folded.value ?? '')
      ? [{ ...folded.own, text: (folded.value ?? '').replace(/\s*\bcollapsed\b/, ''), unit: opener }]
      : []),
    ...(opener !== undefined && told?.own != null && told.value === 'false'
      ? [{ ...told.own, text: 'true', unit: opener }]
      : []),
  ]
}
