import { stemOf, wordsOf } from '../../../words.js'
import { removeWith, reword, rewordAll } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import {
  above,
  besides,
  type Element,
  elementsIn,
  given,
  isInCode,
  type Text,
  wordsIn,
} from '../../markup/tree.js'
import { anchorOf, bare, cutAt, hrefOf, labelOf, lineBreakBefore } from '../../surface.js'
import type { Language } from '../../words/language.js'
import { saysWhat } from '../../words/says-what.js'
import { isStandIn } from '../../words/stand-in.js'
import { greetedIn } from '../../words/vague.js'
import { actInOpening } from '../act/in-opening.js'
import { rightLoud } from '../act/right-loud.js'
import { goalOfWay, LEADS_ON } from '../evidence/repeat-beside.js'
import { concreteHeading, copiedHeading } from './concrete.js'
import { describedIn } from './described.js'
import { goalOfPage, type Hero, heroOf, isAct, opensSite } from './hero.js'
import { oneLoud } from './one-loud.js'
import { oneWay } from './one-way.js'
import { wayInOpening } from './vague-way.js'

export function* lead(view: View): Generator<Idea> {
  const isOpening = view.site?.openings[view.page.path] !== undefined
  if (!isOpening && !opensSite(view.page.path)) return
  // Who can sign out here has signed in.
  if (SIGNS_OUT.test(view.page.text)) return
  if (isOpening) yield* copiedHeading(view)
  const hero = heroOf(view.page)
  if (hero === null || isInCode(hero.title) || isStandIn(wordsIn(hero.section))) return
  if (isOpening) yield* actInOpening(view, hero)
  yield* withoutNews(view, hero)
  if (isOpening) {
    yield* oneLoud(view, hero)
    yield* oneWay(view, hero)
    yield* rightLoud(view, hero)
  }
  if (view.language === null) return
  let isSaid = false
  if (isOpening) {
    yield* wayInOpening(view, hero, view.language)
    for (const idea of concreteHeading(view, hero, view.language)) {
      isSaid = true
      yield idea
    }
  }
  if (isSaid || view.page.isTranslated === true) return
  if (isOpening) yield* brandHeading(view, hero, view.language)
  yield* benefitHeading(view, hero, view.language)
}

const SIGNS_OUT = /\b(?:const|function)\s+(?:handle)?(?:log_?out|sign_?out|d[eé]connexion)\b/i

/** Words that name a page and not who runs it. */
const PAGES =
  /^(about( us)?|blog|news|contact( us)?|services|features|pricing|products|shop|menu|home|dashboard|projects|portfolio|team|faq|events|gallery|login|sign (in|up)|search|settings|profile)$/i

/** Words that call, greet or name a part, and nobody. */
const NO_NAME =
  /^(welcome|hello|hi|discover|explore|create|learn|work|start|today|new|featured|latest|popular|loading|overview|welcome back|willkommen|hallo|entdecken|neu|bienvenue|bonjour|découvrir|bienvenid[oa]s?|hola|descubre)$/i

/** The name in a heading that says nothing else; `null` for other headings. Of two words both could be anything, unless the page says them again. */
function nameAlone(heading: string, rest: string): string | null {
  const greeted = greetedIn(heading)
  if (greeted !== null) return greeted
  const words = heading.split(' ')
  const isKnown =
    words.length === 1 || (words.length === 2 && rest.toLowerCase().includes(heading.toLowerCase()))
  return isKnown && !PAGES.test(bare(heading)) && !NO_NAME.test(bare(heading)) && !/[?!.]/.test(heading)
    ? heading
    : null
}

/** Names that say what somebody does, whole or as the end of a word. */
const TRADE =
  /(schule|praxis|werkstatt|b[äa]ckerei|metzgerei|g[äa]rtnerei|imkerei|weingut|wohnung|hotel|pension|g[äa]stehaus|ferienhaus|salon|friseur\w*|studio|kanzlei|apotheke|tierarzt|zahnarzt|verein|stiftung|handwerk|umz[uü]ge?|reinigung)\b|\b(hotel|inn|caf[eé]|coffee|bakery|bistro|bar|restaurant|pizzeria|brewery|winery|farm|school|academy|clinic|dental|dentist\w*|salon|barber\w*|spa|gym|fitness|yoga|plumbing|heating|electric\w*|roofing|cleaning|law|legal|photography|florist|garage|travel|tours|rentals?|shop|store|books?|church|foundation|trust|museum|library|boulangerie|traiteur|g[iî]te|auberge|cabinet|ost[eé]opath\w*|coiffure|fleuriste|librairie|ferme|domaine|[eé]cole|association|autoescuela|peluquer[ií]a|panader[ií]a|cl[ií]nica|taller|escuela|fundaci[oó]n|tienda|restaurante|academia)\b/iu

/** What is as large as only one word can be. */
const FOR_ONE_WORD = /text-\[\d+(\.\d+)?vw\]|(^|[\s:])text-[789]xl|display-1|uppercase/

/**
 * A start page that is headed with a name or a greeting alone, and that says elsewhere in a line what it is: that line heads it. In the page's own words: the line below,
 * with which the heading changes places, or what it tells search engines. Not where that line names neither a thing nor an audience, where the heading is as large as only
 * one word can be, or where the name would be gone.
 */
function* brandHeading(view: View, { title, line }: Hero, language: Language): Generator<Idea> {
  const { page } = view
  const label = labelOf(title)
  if (label === null || elementsIn(title).length > 0) return
  const pictures = elementsIn(page.root).map((one) => given(one, 'alt') ?? '')
  const rest = [
    wordsIn(page.root).replace(label.value, ''),
    ...pictures,
    page.text.match(/<title>[^<]*/i)?.[0] ?? '',
  ].join(' ')
  const name = nameAlone(label.value, rest)
  // What is written as a logo is one, and no sentence.
  const look = `${given(title, 'class') ?? ''} ${given(title, 'id') ?? ''}`
  if (name === null || TRADE.test(name) || /logo|brand/i.test(look) || FOR_ONE_WORD.test(look)) return
  const below: Text | null = line === null ? null : labelOf(line)
  const own = below === null ? null : below.value.replace(/\.$/, '')
  const isBelow = own !== null && saysWhat(own, language)
  const said = isBelow ? own : describedIn(page)
  if (said === null || !saysWhat(said, language)) return
  if (
    !isBelow &&
    !`${wordsIn(page.root).replace(label.value, '')} ${pictures.join(' ')} ${said}`
      .toLowerCase()
      .includes(name.toLowerCase())
  )
    return
  const change = reword(page, label, said)
  const second = isBelow && below !== null ? reword(page, below, label.value) : null
  if (change === null || (isBelow && second === null)) return
  yield {
    mechanism: 'clarity',
    pattern: 'opening-says-what-it-is',
    name: `Open with what it is: “${said}”`,
    anchor: anchorOf(title),
    topics: ['hero', 'heading', 'headline', label.value],
    arms: [{ name: said, changes: second === null ? [change] : [change, second], says: said }],
    audience: 'visitors who come for the first time',
    change: isBelow
      ? `heading the start page with its own line “${said}”, and putting “${label.value}” where that stood`
      : `heading the start page with “${said}”, as it tells search engines, in place of “${label.value}”`,
    because: 'who does not know the name learns from the largest words whether this is for them',
    goal: goalOfPage(view),
    when: LEADS_ON,
    effect: 3,
  }
}

/** Sentences that say what visitors get to do, by how they begin. */
const BENEFIT: Readonly<Record<Language, RegExp>> = {
  en: /^(get|build|save|upgrade|manage|create|find|track|grow|turn|make|launch|ship|automate|simplify|reach|connect|design|learn|sell|buy|book|send|share|organi[sz]e|plan|run|start|stay|earn|invest|hire|collect|analy[sz]e|monitor|boost|increase|reduce|cut|deploy|write|publish|compare|take|keep|transform|discover|streamline|accelerate) (?!started\b|in touch\b|more\b)/i,
  de: /^(finden|erstellen|sparen|verwalten|testen|planen|bauen|verkaufen|buchen|vergleichen|lernen|behalten|starten|entdecken|berechnen|prüfen|organisieren|automatisieren) sie\b/i,
  fr: /^(trouvez|créez|gérez|économisez|gagnez|vendez|achetez|réservez|comparez|apprenez|calculez|simulez|suivez|organisez|automatisez|simplifiez|obtenez) /i,
  es: /^(encuentra|crea|gestiona|ahorra|vende|compra|reserva|compara|aprende|calcula|organiza|automatiza|simplifica|consigue) /i,
}

/**
 * An opening that is headed with what something is, above a line of which a sentence says what visitors get to do with it: that sentence heads the page. In the page's own
 * words, all of which stay. Not where the heading says so itself, or the sentence is long.
 */
function* benefitHeading(view: View, { title, line }: Hero, language: Language): Generator<Idea> {
  const { page } = view
  const below = line === null ? null : labelOf(line)
  const own = wordsIn(title).replace(/[.\s]+$/, '')
  if (below === null || own.split(' ').length < 3) return
  if (BENEFIT[language].test(own) || /[?:]$|lorem/i.test(own + below.value)) return
  const sentences = below.value.split(/(?<=[.!])\s+/)
  const best = sentences.find((one) => {
    const words = one.split(' ').length
    return BENEFIT[language].test(one) && words >= 4 && words <= 12 && !/[;:(]|\d\.\d/.test(one)
  })
  if (best === undefined) return
  const says = best.replace(/\.$/, '')
  // Who reads it alone still learns of what it speaks.
  const named = new Set(
    wordsOf(own)
      .filter((word) => word.length > 3)
      .map(stemOf),
  )
  if (!wordsOf(says).some((word) => named.has(stemOf(word)))) return
  const rest = [`${own}${/[!?…]$/.test(own) ? '' : '.'}`, ...sentences.filter((one) => one !== best)].join(
    ' ',
  )
  const change = rewordAll(page, title, says)
  const second = reword(page, below, sentences.length === 1 ? own : rest)
  if (change === null || second === null) return
  yield {
    mechanism: 'clarity',
    pattern: 'opening-says-benefit',
    name: `Open with what visitors get: “${says}”`,
    anchor: anchorOf(title),
    topics: ['hero', 'heading', 'headline', own],
    arms: [{ name: says, changes: [change, second], says }],
    audience: 'visitors who come for the first time',
    change: `heading the page with its own sentence “${says}”, and putting “${own}” where that stood`,
    because:
      'a heading that says what one gets to do is weighed at once, and one that says what it is has to be thought through',
    goal: goalOfPage(view),
    when: LEADS_ON,
    effect: 1,
  }
}

/** What is new, or said somewhere else, and not what one has come for. */
const NEWS = /^(https?:)?\/\/|\/(blog|changelog|news|releases?|announcements?|updates?)(\/|$)/i

/** What speaks for it: stars, marks, and how many have said so. */
const PROOF =
  /[★⭐☆]|(?<!\p{L})(?:stars?|rat(?:ed|ings?)|reviews?|customers?|trusted|testimonials?|trustpilot|sterne?n?|bewertung\p{L}*|bewertet|kund(?:e|en|innen)|étoiles?|avis|notée?s?|client(?:e|es|s)?|estrellas?|reseñas?|opini(?:ón|ones)|valoraci(?:ón|ones))(?!\p{L})|\d[\d.,\s]*[km]?\s?\+? (?:\p{L}+ )?(?:users|teams|companies|developers|nutzer\p{L}*|unternehmen|utilisateurs|entreprises|usuarios|empresas)(?!\p{L})|\d[.,]\d\s?\/\s?5/iu

const isProof = (link: Element): boolean =>
  PROOF.test(wordsIn(link)) || elementsIn(link).some(({ tag }) => /^(Star|Rating)/.test(tag))

/** It leads back to where one has come from. */
const BACK = /^\s*[←‹«<]|^(back|zurück|retour|volver)\b/i

/**
 * A link above the title that leads away, to news or to another site, before one knows what this is: the opening without it. Writes no text. Not where it says what others think of it, leads to what the
 * page wants, nor where code decides whether it is shown.
 */
function* withoutNews({ page }: View, { title, above: links, ways, section }: Hero): Generator<Idea> {
  const [link, ...more] = links
  const href = link === undefined ? null : hrefOf(link)
  if (link === undefined || more.length > 0 || href === null || !NEWS.test(href) || isInCode(link)) return
  if (isProof(link)) return
  if (ways.length === 0 || isAct(link) || BACK.test(wordsIn(link)) || title.start - link.end > 1500) return
  const shell = aroundAlone(link, section)
  // What the site counts by a name of its own it wants, and of a box that says more a part would be left.
  const { parent } = shell
  const holders = [link, ...[...above(link)].slice(0, 3)]
  const isCounted = holders.some(({ tag, attributes }) =>
    TRACKED.test(`${tag} ${attributes.map(({ name }) => name).join(' ')}`),
  )
  const inBox = parent === null || parent === section ? [] : besides(shell).filter((one) => one !== shell)
  const saysMore = inBox.some((one) => one.end <= title.start && wordsIn(one) !== '')
  if (isCounted || (saysMore && parent !== null && !elementsIn(parent).includes(title))) return
  yield {
    mechanism: 'friction',
    pattern: 'opening-without-news',
    name: `Open without “${cutAt(wordsIn(link), 60)}” above the title`,
    anchor: anchorOf(link),
    topics: ['hero', 'announcement', wordsIn(link)],
    arms: [{ name: 'Title first', changes: [removeWith(lineBreakBefore(page, shell), shell)], says: null }],
    audience: 'visitors who come for the first time',
    change: `leaving out the link to ${href} (“${cutAt(wordsIn(link), 60)}”) that stands above “${cutAt(wordsIn(title), 60)}”`,
    because: 'what stands first is pressed by some, who are led away before they know what this is',
    goal: goalOfWay(ways[0] ?? link),
    when: `“${wordsIn(ways[0] ?? link)}” is pressed`,
    effect: 3,
  }
}

const TRACKED = /track|analytics|umami|plausible|fathom|posthog|data-(event|ph|ga)\b/i

/** What is around an element alone. */
function aroundAlone(element: Element, within: Element): Element {
  let shell = element
  for (const outer of above(element)) {
    if (outer === within || outer.tag === '' || outer.tag === '#code' || wordsIn(outer) !== wordsIn(element))
      break
    shell = outer
  }
  return shell
}
