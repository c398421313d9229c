import { type Change, reword } from '../../edits.js'
import type { Idea, KnownWay, View } from '../../idea.js'
import { attribute, type Element, elementsIn, given, isInCode, wordsIn } from '../../markup/tree.js'
import { pageAt } from '../../pages-at.js'
import { anchorOf, bare, cutAt, hrefOf, isButton, isHeading, isLink, labelOf } from '../../surface.js'
import { type Language, likeControl } from '../../words/language.js'
import { DESTINATIONS, VAGUE_LINK } from '../../words/phrases.js'
import { isStandIn } from '../../words/stand-in.js'
import { isVague } from '../../words/vague.js'
import { evidenceOf } from '../act/standing.js'
import { CALLS, holdsHere, kindOf, mainWays } from '../act/ways.js'
import { isQuiet } from '../layout/sections.js'
import { type Hero, heroOf, isAct } from './hero.js'

/** What buttons of openings say that fit any page, beside what links say so. */
const FITS_ANY: Readonly<Record<Language, RegExp>> = {
  en: /^(discover( more| now)?|explore( more| now)?|know more|view more|tell me more|find out( more)?)$/,
  de: /^((jetzt |mehr )?entdecken|mehr dazu|mehr über uns|erfahren sie mehr|erfahre mehr|jetzt mehr erfahren)$/,
  fr: /^(découvrir( plus)?|découvrez|plus d['’]infos?|voir)$/,
  es: /^(descubr(e|ir|a)( más)?|conoce más|saber más|más info|ver)$/,
}

/** Where a site tells of itself. */
const STORY =
  /(^|[/#_-])(about(-?us)?|our-?story|story|who-?we-?are|history|company|(ue|ü)ber-?uns|geschichte|unternehmen|nosotros|sobre-?nosotros|quienes-?somos|historia|a-?propos|(notre-?)?histoire|qui-?sommes-?nous)(\.html?)?\/?$/i

const isVagueWay = (way: Element, language: Language): boolean => {
  const own = bare(wordsIn(way))
  return VAGUE_LINK[language].has(own) || FITS_ANY[language].test(own)
}

/** The one way on that an opening has, or its only loud one, where its words fit any page. */
function vagueWay({ page, language }: View, { ways }: Hero): Element | null {
  if (language === null) return null
  const loud = ways.filter((one) => isButton(one) && !isQuiet(page, one))
  const [way, ...more] = ways.length === 1 ? ways : loud
  if (way === undefined || more.length > 0 || isInCode(way) || !isVagueWay(way, language)) return null
  return ways.some((one) => one !== way && isAct(one)) ? null : way
}

/** Whether the rest of the site could say better what the button of an opening leads to. */
export const mayNameWay = (view: View): boolean => {
  const hero = heroOf(view.page)
  return hero !== null && vagueWay(view, hero) !== null
}

/**
 * An opening whose button fits any page. Where it leads to the story of the site alone, the site's own way to act takes its place; elsewhere it says what it leads to, by the
 * title there. Not beside another way that asks for something, nor where neither can be told.
 */
export function* wayInOpening(view: View, hero: Hero, language: Language): Generator<Idea> {
  const way = vagueWay(view, hero)
  const label = way === null ? null : labelOf(way)
  const href = way === null ? null : hrefOf(way)
  if (way === null || label === null || href === null || href === '' || href === '#') return
  if (STORY.test(href.replace(/[?].*$/, ''))) yield* actInPlace(view, hero, way, language)
  else yield* namedByPlace(view, way, language)
}

function* actInPlace(view: View, { title }: Hero, way: Element, language: Language): Generator<Idea> {
  const { page, site } = view
  const opening = site?.openings[page.path]
  const label = labelOf(way)
  if (opening === undefined || label === null || page.isTranslated === true) return
  const rank = (one: KnownWay): number => (one.path === page.path ? 2 : 0) + (one.isButton ? 1 : 0)
  const [act] = mainWays(view, opening.page)
    .filter((one) => one.label !== '' && holdsHere(one, page.path) && !STORY.test(one.href))
    .sort((a, b) => rank(b) - rank(a) || (a.path < b.path ? -1 : 1))
  if (act === undefined) return
  const said = likeControl(label.value, act.label, language)
  const changes = changedWay(view, way, said, act.href)
  if (changes === null) return
  yield {
    mechanism: 'clarity',
    pattern: 'opening-button-acts',
    name: `Ask in the opening for what one can do: “${said}” in place of “${label.value}”`,
    anchor: anchorOf(way, `${label.value} ${act.href}`),
    topics: ['hero', 'call to action', 'button', kindOf(act) ?? '', label.value],
    arms: [{ name: `“${said}”`, changes, says: said }],
    audience: 'visitors who see the opening of the start page',
    change: `having the only button below “${cutAt(wordsIn(title), 60)}” say “${said}” and lead to ${act.href}, as the site’s own button does ${act.path === page.path ? 'further down' : `in ${act.path}`}, in place of “${label.value}”, which leads to what the site tells of itself`,
    because:
      'most come to have something done, and the story of those who do it is read by few of them first',
    goal: kindOf(act) === 'sign up' ? 'sign up' : 'click',
    when: `any link to ${act.href} is pressed, in all variants`,
    effect: 4,
    ...(act.path === page.path ? {} : { evidence: evidenceOf(act) }),
  }
}

/** Another label, and where it leads; `null` where one of both cannot be written. */
function changedWay({ page }: View, way: Element, said: string, href: string): Change[] | null {
  const label = labelOf(way)
  const link = [way, ...elementsIn(way)].find(isLink) ?? (isLinkAround(way.parent) ? way.parent : undefined)
  const own = link == null ? undefined : (attribute(link, 'href') ?? attribute(link, 'to'))
  const worded = label === null ? null : reword(page, label, said)
  if (link == null || own?.own == null || worded === null || /["'<>{}\s]/.test(href)) return null
  return [worded, { ...own.own, text: href, unit: link }]
}

const isLinkAround = (element: Element | null): element is Element => element !== null && isLink(element)

/** How a label says that one gets to see something, by the title that it has. */
const SEE: Readonly<Record<Language, (topic: string) => string | null>> = {
  en: (topic) =>
    `See ${/^(our|the|your|my|all|an?)\b|(s|ing|work|software|furniture)$/i.test(topic) ? '' : 'the '}${inSentence(topic)}`,
  de: (topic) => `${topic} ansehen`,
  fr: (topic) =>
    /^(les?|la|l['’]|nos|notre|vos|votre|toute?s?)(?!\p{L})/iu.test(topic)
      ? `Voir ${inSentence(topic)}`
      : null,
  es: (topic) => `Ver ${inSentence(topic)}`,
}

/** A title in the middle of words: names and what is written in capitals stay as they are. */
const inSentence = (topic: string): string =>
  /^\p{Lu}\p{Ll}+(\s\p{Ll}+)*$/u.test(topic) ? topic.charAt(0).toLowerCase() + topic.slice(1) : topic

/** A title that calls, asks, greets or says a sentence names nothing that one could see. */
const NO_TOPIC =
  /[?!:;.,|]|^(how|why|what|where|when|who|get|start|try|join|we|you|let|ready|welcome|about|so|wie|warum|was|wer|wir|sie|du|willkommen|comment|pourquoi|quoi|bienvenue|cómo|por|qué|bienvenid\w*)(?!\p{L})/iu

function* namedByPlace(view: View, way: Element, language: Language): Generator<Idea> {
  const { page, site } = view
  const label = labelOf(way)
  const href = hrefOf(way) ?? ''
  if (label === null || site === null) return
  const last = href
    .replace(/[?].*$/, '')
    .replace(/\.html?$/i, '')
    .split(/[/#]/)
    .findLast((part) => part !== '')
  // What has a name everywhere is named by another rule.
  if (DESTINATIONS.some(({ is }) => is.test((last ?? '').toLowerCase()))) return
  const there = href.startsWith('#') ? null : pageAt(site.pages, page.path, href)
  const topic = there?.heading ?? (href.startsWith('#') ? sectionTitle(view, href.slice(1)) : null)
  if (topic === null || topic === undefined || topic.split(' ').length > 4 || isVague(topic, language)) return
  if (isStandIn(topic) || topic === wordsIn(heroOf(page)?.title ?? way)) return
  const isCall = CALLS.test(topic)
  const words = isCall ? topic : NO_TOPIC.test(topic) ? null : SEE[language](topic)
  if (words === null) return
  const said = likeControl(label.value, words, language)
  const change = reword(page, label, said)
  if (change === null) return
  yield {
    mechanism: 'clarity',
    pattern: 'opening-button-says-where',
    name: `Say in the opening where “${label.value}” leads: “${said}”`,
    anchor: anchorOf(way, `${label.value} ${href}`),
    topics: ['hero', 'call to action', 'button', topic],
    arms: [{ name: said, changes: [change], says: said }],
    audience: 'visitors who see the opening of the start page',
    change: `saying “${said}” on its only button, by the title of what it leads to (${href}), in place of “${label.value}”`,
    because: 'who knows what comes next is more likely to press, and finds there what was promised',
    goal: 'click',
    when: `the link to ${href} in the opening is pressed, in all variants`,
    // Further down on the same page one comes anyway.
    effect: href.startsWith('#') ? 2 : 3,
    ...(there === null ? {} : { evidence: [{ path: there.path, says: topic }] }),
  }
}

function sectionTitle({ page }: View, id: string): string | null {
  const section = elementsIn(page.root).find((one) => given(one, 'id') === id)
  const heading =
    section === undefined ? undefined : isHeading(section) ? section : elementsIn(section).find(isHeading)
  return heading === undefined || isInCode(heading) ? null : (labelOf(heading)?.value ?? null)
}
