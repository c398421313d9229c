import { agreement } from '../../../words.js'
import { type Change, keyOf, reword, rewordAll, withoutText } from '../../edits.js'
import type { Arm, Evidence, Idea, View } from '../../idea.js'
import {
  besides,
  type Element,
  elementsIn,
  given,
  isInCode,
  isUnder,
  type Text,
  textsIn,
  wordsIn,
} from '../../markup/tree.js'
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
  // A name that stands nowhere else stays where heading and line change places alone.
  const isNameKept = greeted === null || isNamedElsewhere(view, own, greeted)
  if (!isNameKept && page.isTranslated !== true) return
  const below = line === null ? '' : wordsIn(line)
  const next = textsAfter(page.root, title).find(({ value }) => value.includes(' '))
  const told = page.isTranslated === true ? null : describedBy(view, language)
  const near = [below, next?.value ?? '', ...textsBelow(title).map(({ value }) => value)]
  const isSaid = (says: string): boolean =>
    near.some((words) => words.includes(says) || agreement(says, words) > 0.6)
  const described =
    told === null || isSaid(told.says) || (next !== undefined && sharedWords(told.says, next.value) > 1)
      ? null
      : told
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
  const lines = !isNameKept
    ? [lead ?? []].flat()
    : ofAll.length > 0 || stated === undefined
      ? ofAll
      : [stated]
  const over = textsBefore(section, title).map(({ value }) => value)
  const arms: (Arm & { evidence: Evidence | null })[] = []
  for (const one of lines) {
    // Who has read it as the first line need not read it above that too.
    const isMoved = one.text !== null && isRightBelow(title, one.text, line, next)
    if (!isMoved && isSaid(one.says)) continue
    if (over.some((words) => agreement(one.says, words) > 0.6)) continue
    if (arms.some(({ says }) => says !== null && agreement(says, one.says) > 0.5)) continue
    const changes = headedWith(view, title, one, isMoved)
    if (changes === null) continue
    arms.push({ name: one.says, changes, says: one.says, evidence: one.evidence })
  }
  if (arms.length === 0) return
  const evidence = arms.flatMap((one) => one.evidence ?? [])
  yield headedBy(
    view,
    title,
    own,
    arms.slice(0, MAX_ARMS).map(({ name, changes, says }) => ({ name, changes, says })),
    evidence,
  )
}

/** The texts that one reads after an element, wherever in the file they are written. */
const textsAfter = (around: Element, element: Element): readonly Text[] => {
  const all = textsIn(around)
  return all.slice(all.findLastIndex(({ parent }) => isUnder(parent, element)) + 1)
}

const textsBefore = (around: Element, element: Element): readonly Text[] => {
  const all = textsIn(around)
  const first = all.findIndex(({ parent }) => isUnder(parent, element))
  return first < 0 ? [] : all.slice(0, first)
}

/** Who has read so many lines below a title sees them with it. */
const MAX_BELOW = 2

/** The first lines that stand beside a title. */
function textsBelow(title: Element): Text[] {
  const row = besides(title)
  return row
    .slice(row.indexOf(title) + 1, row.indexOf(title) + 1 + MAX_BELOW)
    .flatMap((one) => labelOf(one) ?? [])
}

/** Whether a text is seen together with the title, so that it cannot stand in both places. */
const isRightBelow = (title: Element, text: Text, line: Element | null, next: Text | undefined): boolean =>
  text === next || text.parent === line || textsBelow(title).includes(text)

/** More of them leave too few visitors for each. */
const MAX_ARMS = 2

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
    all.every((one) => one.path === own.path || one.entries.size * MAX_OF_OTHERS <= own.entries.size)
  )
}

/** A language that has been begun only has less than this part of the texts. */
const MAX_OF_OTHERS = 3

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

/** The changes by which a line heads the page; one that is seen with the heading changes places with it, or goes. `null` where that cannot be written. */
function headedWith({ page }: View, title: Element, { says, text }: Line, isMoved: boolean): Change[] | null {
  const own = wordsIn(title)
  const label = labelOf(title)
  const below = isMoved ? text : null
  if (below !== null && (below.value.replace(/\.$/, '') !== says || label === null)) return null
  // Below what it greets to, a greeting is one line too many.
  const isGreeting = greetsAlone(own)
  const moved = (other: () => Change | null): Change[] | null => {
    if (below === null) return []
    const change = isGreeting ? withoutText(page, below) : other()
    return change === null ? null : [change]
  }
  // What stands in no text of the page gets a key of its own.
  if (label?.key !== undefined && text === null) {
    const change = reword(page, label, says)
    return change === null ? null : [change]
  }
  if (label?.key !== undefined) {
    if (text === null || text.value.replace(/\.$/, '') !== says) return null
    const change = keyOf(page, label, text)
    const second = moved(() => keyOf(page, text, label))
    return change === null || second === null ? null : [change, ...second]
  }
  const ends = /\.$/.test(own) ? `${says}.` : says
  const change = label === null ? rewordAll(page, title, ends) : reword(page, label, ends)
  const second = moved(() => (below === null ? null : reword(page, below, own)))
  return change === null || second === null ? null : [change, ...second]
}
