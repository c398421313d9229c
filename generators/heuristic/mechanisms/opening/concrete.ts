import { agreement } from '../../../words.js'
import { type Change, reword, rewordAll } from '../../edits.js'
import type { Arm, Evidence, Idea, View } from '../../idea.js'
import { type Element, elementsIn, given, type Text, wordsIn } from '../../markup/tree.js'
import { anchorOf, labelOf } from '../../surface.js'
import type { Language } from '../../words/language.js'
import { greetedIn, isVague } from '../../words/vague.js'
import { LEADS_ON } from '../evidence/repeat-beside.js'
import { titledIn } from './described.js'
import { goalOfPage, type Hero } from './hero.js'
import { concreteIn, describedBy, type Line } from './lines.js'

/**
 * An opening that is headed with words that fit any site, on one that says in a line what there is, how much of it or how soon: that line heads it, word for word with all
 * its conditions. Not where the heading names a thing, an audience, a place or a number, nor where the line boasts, tells a price or a year, or leans on what stands before it.
 */
export function* concreteHeading(view: View, { title, line }: Hero, language: Language): Generator<Idea> {
  const { page } = view
  const own = wordsIn(title)
  const look = `${given(title, 'class') ?? ''} ${given(title, 'id') ?? ''}`
  if (!isVague(own, language) || /logo|brand/i.test(look)) return
  const greeted = greetedIn(own)
  if (greeted !== null && !isNamedElsewhere(view, own, greeted)) return
  const below = line === null ? '' : wordsIn(line)
  const described = page.isTranslated === true ? null : describedBy(view, language)
  const [stated] = concreteIn(view, title, language).filter(
    ({ text }) => page.isTranslated !== true || text?.key !== undefined,
  )
  const lines = [stated, described].flatMap((one) => one ?? [])
  const arms: (Arm & { evidence: Evidence | null })[] = []
  for (const one of lines) {
    // Who has read it as the first line need not read it above that too.
    if (agreement(one.says, below) > 0.6 && one.text?.parent !== line) continue
    if (arms.some(({ says }) => says !== null && agreement(says, one.says) > 0.5)) continue
    const changes = headedWith(view, title, line, one)
    if (changes === null) continue
    arms.push({ name: one.says, changes, says: one.says, evidence: one.evidence })
  }
  const [first] = arms
  if (first === undefined) return
  const quoted = arms.map(({ name }) => `“${name}”`).join(' or ')
  const evidence = arms.flatMap((one) => one.evidence ?? [])
  yield {
    mechanism: 'specificity',
    pattern: 'opening-in-concrete-words',
    name: `Open with what there is: “${first.name}”`,
    anchor: anchorOf(title),
    topics: ['hero', 'heading', 'headline', own],
    arms: arms.map(({ name, changes, says }) => ({ name, changes, says })),
    audience: 'visitors who come for the first time',
    change: `heading the start page with the site’s own line ${quoted} in place of “${own}”`,
    because: 'words that fit any site tell nobody that this one has what they came for',
    goal: goalOfPage(view),
    when: LEADS_ON,
    effect: 4,
    ...(evidence.length === 0 ? {} : { evidence }),
  }
}

/** Whether the name that a heading greets with stays on the page. */
function isNamedElsewhere({ page }: View, own: string, name: string): boolean {
  const pictures = elementsIn(page.root).map((one) => given(one, 'alt') ?? '')
  return `${wordsIn(page.root).replace(own, '')} ${pictures.join(' ')} ${titledIn(page.text)}`
    .toLowerCase()
    .includes(name.toLowerCase())
}

/** The changes by which a line heads the page; with the one right below it the heading changes places. `null` where that cannot be written. */
function headedWith(
  { page }: View,
  title: Element,
  below: Element | null,
  { says, text }: Line,
): Change[] | null {
  const own = wordsIn(title)
  const label = labelOf(title)
  const isBelow = text !== null && text.parent === below
  if (isBelow && (text.value.replace(/\.$/, '') !== says || label === null)) return null
  if (label?.key !== undefined) {
    // Both are keys of one call: the other key says it in every language.
    if (text?.key === undefined || text.value.replace(/\.$/, '') !== says) return null
    const [mine, theirs] = [label, text].map(({ start, end }) => page.text.slice(start, end))
    const isCall = (one: string | undefined): one is string => /^(["'])[\w.:-]+\1$/.test(one ?? '')
    if (!isCall(mine) || !isCall(theirs) || mine === theirs) return null
    if (label.key.split('#')[0] !== text.key.split('#')[0]) return null
    return [inPlaceOf(label, theirs), ...(isBelow ? [inPlaceOf(text, mine)] : [])]
  }
  const ends = /\.$/.test(own) ? `${says}.` : says
  const change = label === null ? rewordAll(page, title, ends) : reword(page, label, ends)
  const second = isBelow ? reword(page, text, own) : null
  if (change === null || (isBelow && second === null)) return null
  return second === null ? [change] : [change, second]
}

/** A key in the place of another one. */
const inPlaceOf = ({ start, end, attribute, parent }: Text, key: string): Change => ({
  start,
  end,
  text: key,
  unit: attribute ?? parent,
})
