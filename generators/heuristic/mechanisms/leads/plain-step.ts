import type { Change } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { isUtility } from '../../markup/kits.js'
import { above, attribute, type Element, elementsIn, given, type Page, wordsIn } from '../../markup/tree.js'
import { anchorOf, classOf, classWord, cutAt, isButton, isLink, labelOf } from '../../surface.js'
import { needOf } from '../act/ways.js'
import { isEmptyShelf } from './shelves.js'

/** What code asks right before it shows what it shows where nothing is there. */
const WHERE_NONE =
  /(\.length\s*={2,3}\s*0|\.length\s*<\s*1|![\w.?]+\.length)\s*\)?\s*(\?|&&|\{?\s*return\b)?\s*\(?\s*$/
const MAKES = /\/(create|new|add|upload|neu|anlegen|nouveau|nouvelle|creer|nuevo|nueva|crear)(\/|["'`?])/i
/** Lists of what was looked for, and of what only those see who run the site. */
const ELSEWHERE = /search|filter|notif|error|admin|dashboard|settings|checkout|payment/i
/** A link within a sentence is drawn over its neighbours. */
const DRAWN = /(^|\s)(-m[trblxy]?-\S+|p[xy]?-0|h-auto|underline|hover:underline|inline)(?=\s|$)/g

const branchOf = (element: Element): Element =>
  [...above(element)].findLast((outer) => outer.parent !== null && outer.tag !== '#code') ?? element

/** The step of a place that code shows where a list is empty: it is one, makes something, and looks like a word of the sentence. */
function plainStepsOf({ page }: View): { step: Element; branch: Element }[] {
  if (ELSEWHERE.test(page.path) || page.dialect !== 'jsx') return []
  return elementsIn(page.root).flatMap((step) => {
    if (step.tag !== 'Button' || attribute(step, 'variant')?.value !== 'link') return []
    const source = page.text.slice(step.start, step.end)
    // What leads out of what one is in the middle of stays quiet.
    if (/_blank|window\.open/.test(source)) return []
    if (!MAKES.test(source) || source.length > 500 || wordsIn(step) === '') return []
    const around = [...above(step)]
    const branch =
      around.find(({ start }) => WHERE_NONE.test(page.text.slice(Math.max(0, start - 120), start))) ??
      branchOf(step)
    const isNone = WHERE_NONE.test(page.text.slice(Math.max(0, branch.start - 120), branch.start))
    const ways = elementsIn(branch).filter((one) => isButton(one) || isLink(one))
    const isAlone = ways.every((one) => one === step || [...above(one)].includes(step))
    return isNone && isAlone && wordsIn(branch).length <= 260 ? [{ step, branch }] : []
  })
}

/**
 * A list that is empty, and whose first step is a word within the sentence that says so: that is a button as others are. Its words stay. Not where anything else can be pressed there,
 * nor where it makes nothing.
 */
export function* plainStep(view: View): Generator<Idea> {
  const { page } = view
  const [found] = [...plainStepsOf(view), ...bareLinksOf(view)]
  if (found === undefined) return
  const { step, branch } = found
  const says = wordsIn(step)
  const isCart = isLink(step)
  const change = isCart ? inButton(page, step) : asButton(page, step)
  if (change === null) return
  const around = cutAt(wordsIn(branch), 60)
  yield {
    mechanism: 'friction',
    pattern: 'first-step-as-button',
    name: `Make “${says}” a button where nothing is there yet`,
    anchor: anchorOf(step, `${says} ${around}`),
    topics: ['empty state', 'onboarding', 'button', says, wordsIn(branch)],
    arms: [{ name: `“${cutAt(says, 50)}” as a button`, changes: [change], says: null }],
    audience: isCart ? 'visitors whose cart or list is empty' : 'people who have just begun',
    change: `showing “${says}”, the only step there is in “${around}”, as the site’s own button in place of a word within the sentence,`,
    because: isCart
      ? 'who looks into what is empty has it in mind to buy, and sees at once where that begins'
      : 'an empty page is where newcomers stop, unless they see at once what comes next',
    ...(isCart
      ? { goal: 'cart' as const }
      : { goal: 'click' as const, when: `“${says}” there is pressed, in all variants` }),
    effect: 3,
  }
}

/** The way on from an empty cart, where it is a link without a look of its own at the end of the sentence, in a file that has the site's button, which other files draw around links. */
function bareLinksOf({ page, language, site }: View): { step: Element; branch: Element }[] {
  if (ELSEWHERE.test(page.path) || page.dialect !== 'jsx' || language === null) return []
  const isDrawn =
    site?.browses.some(({ copy }) => copy?.source.startsWith('<Button asChild') === true) === true
  if (!isDrawn || needOf(page.text, 'Button') === null) return []
  return elementsIn(page.root).flatMap((step) => {
    const branch = step.parent
    if (branch === null || step.tag !== 'Link' || !isLink(step) || attribute(step, 'class') !== undefined)
      return []
    const row = branch.children
    const [before] = row
    const isSentence =
      row.length === 2 && row[1] === step && before?.kind === 'text' && isEmptyShelf(before.value, language)
    return isSentence && wordsIn(step) !== '' && labelOf(step) !== null ? [{ step, branch }] : []
  })
}

function inButton(page: Page, step: Element): Change {
  const look = isUtility(page) ? ` ${classWord(page)}="mt-4 flex w-fit"` : ''
  const own = page.text.slice(step.start, step.end)
  return { start: step.start, end: step.end, text: `<Button asChild${look}>${own}</Button>`, unit: step }
}

/** Without what makes it a word of the sentence; after the sentence it stands on a line of its own. */
function asButton(page: Page, step: Element): Change | null {
  const variant = attribute(step, 'variant')
  const own = attribute(step, 'class')
  if (variant === undefined || (own !== undefined && classOf(step) === null)) return null
  const kept = (given(step, 'class') ?? '').replace(DRAWN, '').replace(/\s+/g, ' ').trim()
  const row = step.parent?.children ?? []
  const at = row.indexOf(step)
  const isAfter = at > 0 && row[at - 1]?.kind === 'text' && at === row.length - 1
  const line = isAfter && isUtility(page) ? 'mt-4 flex w-fit' : ''
  const classes = `${line} ${kept}`.trim()
  const opening = page.text.slice(step.start, step.end)
  let text = opening.replace(/\svariant=(["'])link\1/, '')
  if (own === undefined) {
    if (classes !== '') text = text.replace(/^<Button/, `<Button ${classWord(page)}="${classes}"`)
  } else {
    const before = page.text.slice(own.start, own.end)
    text = text.replace(` ${before}`, classes === '' ? '' : ` ${classWord(page)}="${classes}"`)
  }
  return text === opening ? null : { start: step.start, end: step.end, text, unit: step }
}
