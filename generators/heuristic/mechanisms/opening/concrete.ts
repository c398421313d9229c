import { agreement } from '../../../words.js'
import { type Change, removeWith, reword, rewordAll } from '../../edits.js'
import type { Arm, Evidence, Idea, View } from '../../idea.js'
import { type Element, elementsIn, given, isInCode, type Text, textsIn, wordsIn } from '../../markup/tree.js'
import { anchorOf, labelOf } from '../../surface.js'
import type { Language } from '../../words/language.js'
import { greetedIn, greetsAlone, isHollow, isVague } from '../../words/vague.js'
import { LEADS_ON } from '../evidence/repeat-beside.js'
import { titleByName } from './copied.js'
import { titledIn } from './described.js'
import { goalOfPage, type Hero } from './hero.js'
import { concreteIn, describedBy, type Line, leadBelow } from './lines.js'
import { headlineOf, sharedWords } from './titled.js'

/**
 * An opening that is headed with words that fit any site, on one that says in a line what there is, how much of it or how soon: that line heads it, word for word with all
 * its conditions. Not where the heading names a thing, an audience, a place or a number, nor where the line boasts, tells a price or a year, or leans on what stands before it.
 */
export function* concreteHeading(
  view: View,
  { title, line, section }: Hero,
  language: Language,
): Generator<Idea> {
  const { page } = view
  const own = wordsIn(title)
  const look = `${given(title, 'class') ?? ''} ${given(title, 'id') ?? ''}`
  const hollow = isHollow(own, language)
  const vague = isVague(own, language)
  if (!(vague || hollow) || /logo|brand/i.test(look)) return
  const greeted = hollow ? null : greetedIn(own)
  if (greeted !== null && !isNamedElsewhere(view, own, greeted)) return
  const below = line === null ? '' : wordsIn(line)
  const next = textsIn(page.root).find(({ start, value }) => start >= title.end && value.includes(' '))
  const told = page.isTranslated === true ? null : describedBy(view, language)
  const described =
    told !== null && next !== undefined && sharedWords(told.says, next.value) > 1 ? null : told
  const lead = leadBelow(line, language)
  const [stated] = !vague
    ? []
    : concreteIn(view, title, language).filter(
        ({ text }) => page.isTranslated !== true || text?.key !== undefined,
      )
  const titled =
    described === null && isOfOneLanguage(view, title)
      ? headlineOf(view, greeted === null ? own : '', [below, next?.value ?? ''], language)
      : null
  // What stands further down says one thing of many: only where nothing says what all of it is.
  const ofAll = [lead, described, titled].flatMap((one) => one ?? [])
  const lines = ofAll.length > 0 || stated === undefined ? ofAll : [stated]
  const over = textsIn(section)
    .filter(({ end }) => end <= title.start)
    .map(({ value }) => value)
  const arms: (Arm & { evidence: Evidence | null })[] = []
  for (const one of lines) {
    // Who has read it as the first line need not read it above that too.
    if (agreement(one.says, below) > 0.6 && one.text?.parent !== line) continue
    if (over.some((words) => agreement(one.says, words) > 0.6)) continue
    if (arms.some(({ says }) => says !== null && agreement(says, one.says) > 0.5)) continue
    const changes = headedWith(view, title, line, one)
    if (changes === null) continue
    arms.push({ name: one.says, changes, says: one.says, evidence: one.evidence })
  }
  if (arms.length === 0) return
  const evidence = arms.flatMap((one) => one.evidence ?? [])
  yield headedBy(
    view,
    title,
    own,
    arms.slice(0, MOST_ARMS).map(({ name, changes, says }) => ({ name, changes, says })),
    evidence,
  )
}

/** More of them leave too few visitors for each. */
const MOST_ARMS = 2

function headedBy(
  view: View,
  title: Element,
  own: string,
  arms: readonly Arm[],
  evidence: readonly Evidence[],
): Idea {
  const quoted = arms.map(({ name }) => `“${name}”`).join(' or ')
  return {
    mechanism: 'specificity',
    pattern: 'opening-in-concrete-words',
    name: `Open with what there is: “${arms[0]?.name ?? ''}”`,
    anchor: anchorOf(title),
    topics: ['hero', 'heading', 'headline', own],
    arms,
    audience: 'visitors who come for the first time',
    change: `heading the start page with the site’s own line ${quoted} in place of “${own}”`,
    because: 'words that fit any site tell nobody that this one has what they came for',
    goal: goalOfPage(view),
    when: LEADS_ON,
    // Lines that were written for search engines are not always meant to be read; but a greeting says less than any line.
    effect: greetsAlone(own) ? 3 : 2,
    ...(evidence.length === 0 ? {} : { evidence }),
  }
}

/** Whether a title has its words itself, or by a key that hardly any other language has: what is said in one could not be said in the others. */
function isOfOneLanguage({ page, language }: View, title: Element): boolean {
  const key = labelOf(title)?.key
  if (page.isTranslated !== true) return key === undefined
  const group = key?.split('#')[0]
  const all = page.texts?.locales.filter((one) => one.group === group) ?? []
  const own = page.texts?.main.find((one) => one.group === group)
  return (
    own !== undefined &&
    own.language === language &&
    all.every((one) => one.path === own.path || one.entries.size * MOST_OF_OTHERS <= own.entries.size)
  )
}

/** A language that has been begun only has less than this part of the texts. */
const MOST_OF_OTHERS = 3

/**
 * The same where the title stands in an object of another file: the page says the line itself, and the object stays as it is. Not where the texts beside it speak of the
 * same thing, which may stand right below.
 */
export function* copiedHeading(view: View): Generator<Idea> {
  const { page, site } = view
  const copied = site?.copiedTitles[page.path]
  const language = view.language ?? copied?.language ?? null
  const named = copied === undefined ? null : titleByName(page)
  if (copied === undefined || named === null || language === null || page.isTranslated === true) return
  const { title, inner } = named
  if (isInCode(title) || !isHollow(copied.says, language)) return
  const line = headlineOf({ ...view, language }, copied.says, copied.beside, language)
  if (line === null || /["'{}<>&\\]/.test(line.says)) return
  const start = title.start + page.text.slice(title.start, title.end).lastIndexOf(`>${inner}</`) + 1
  const ends = /\.$/.test(copied.says) ? `${line.says}.` : line.says
  const arm: Arm = {
    name: line.says,
    changes: [{ start, end: start + inner.length, text: ends, unit: title }],
    says: line.says,
  }
  yield headedBy(view, title, copied.says, [arm], line.evidence === null ? [] : [line.evidence])
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
  // What stands in no text of the page gets a key of its own.
  if (label?.key !== undefined && text === null) {
    const change = reword(page, label, says)
    return change === null ? null : [change]
  }
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
  // Below what it greets to, a greeting is one line too many.
  const without = isBelow && below !== null && greetsAlone(own)
  const second = without ? removeWith('', below) : isBelow ? reword(page, text, own) : null
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
