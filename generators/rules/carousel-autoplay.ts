// Evidence: people overlook what moves by itself, because it looks like an advertisement, and lose what they
// are reading when it turns (Nielsen Norman Group 2013, "Auto-Forwarding Carousels"); 1 % of visitors pressed
// a slide, nearly all of them the first one (Notre Dame University 2013); WCAG 2.2.2 asks for a way to stop
// it. Admitted because one file shows what moves, what it says, and the arrows or dots that stay.
import { core } from '../../variants/text.js'
import { withoutComments } from '../comments.js'
import type { PageChange } from '../page/edits.js'
import { wordsOfCode } from '../page/forms.js'
import { isNamedIn, movingEffectsOf, namesThatMove } from '../page/timers.js'
import { above, elementsIn, given, isInside, type PageTree, type SourceRange, wordsIn } from '../page/tree.js'
import { headingOf, quoted } from './place-words.js'
import type { PageContext, ProposalRule } from './rule.js'
import { mainActOf } from './ways.js'

/** Slower ones can be read. */
const TURNS = { min: 1500, max: 8000 }
const REVIEWS =
  /testimon|review|bewertung|rezension|kundenstimmen|\bavis\b|témoign|temoign|opini[oó]n|reseña|depoiment|avalia[cç]|feedback/i
const OPENING = /(hero|banner|header)[^/]*$/i
/** Decoration, or sayings. */
const NO_TEXT = /logo|partner|brand|marquee|ticker|gallery|galerie|countdown|motivat|inspir/i
/** Several are in view, of which no one is lost while it is read. */
const SEVERAL = /\bslides-?(PerView|ToShow|per-view)["']?\s*[=:]\s*\{?["']?([2-9]|auto)|\bbasis-1\/[2-9]/i
/** A bar that fills until the next turn. */
const SHOWS_TIME = /\b(set)?[pP]rogress(Key|Width|Anim\w*)?\b(?=[},=(])/
/** `{review.text}`, `{slides[current].title}`: what a slide says. */
const SAYS =
  /[{`"(]\s*[\w$]+(\[[\w$]+\])?\??\.(text|texto|quote|comment|content|review|message|title|heading|headline|description|desc|subtitle|feedback|body)\s*[}`"|)]/i
const IS_CONTROL = /^on(?!mouse|touch|pointer|focus|blur|key|scroll)\w+$/

interface Carousel {
  /** names in code that may say what turns */
  names: readonly string[]
  changes: PageChange[]
  milliseconds: number
}

/** Carousels that an effect turns, and buttons as well, also on phones. */
function byEffect(page: PageTree, isOnPhones: PageContext['isOnPhones']): Carousel[] {
  return movingEffectsOf(page).flatMap(({ effect, movers, milliseconds }) => {
    const names = namesThatMove(page, movers)
    const isTurned = elementsIn(page.root).some(
      (control) =>
        isOnPhones(control) &&
        control.attributes.some(
          ({ name, start, end }) =>
            IS_CONTROL.test(name) && [...names].some((one) => isNamedIn(one, page.text.slice(start, end))),
        ),
    )
    return isTurned && !SEVERAL.test(page.text) && saysWhatMoves(page, [...names])
      ? [
          {
            names: movers,
            milliseconds,
            changes: [{ ...effect, text: '() => {}', unit: { ...effect, parent: null } }],
          },
        ]
      : []
  })
}

/** Whether the part of the page around what the names decide says what an item of a list holds. */
function saysWhatMoves(page: PageTree, names: readonly string[]): boolean {
  const isNamed = ({ start, end }: { start: number; end: number }): boolean =>
    names.some((one) => isNamedIn(one, page.text.slice(start, end)))
  const named = elementsIn(page.root).filter(
    (one) => one.attributes.some(isNamed) || (one.tag === '#code' && isNamed(one)),
  )
  const [first] = named
  const around =
    first === undefined
      ? undefined
      : [...above(first)].find((one) => named.every((other) => isInside(other, one)))
  return around !== undefined && SAYS.test(withoutComments(page.text.slice(around.start, around.end)))
}

/** Fewer words are a button or two. */
const MIN_WORDS = 12
const DELAY = /\bdelay:\s*([\d_]+)/

/** Whether the page has the buttons that an attribute names: `{ prevEl: '.prev' }`. */
const hasItsButtons = ({ root, text }: PageTree, { start, end }: SourceRange): boolean =>
  [...text.slice(start, end).matchAll(/\bel:\s*["'`][.#]([\w-]+)|El:\s*["'`][.#]([\w-]+)/g)].every(
    ([, el, other]) =>
      elementsIn(root).some((one) =>
        `${given(one, 'class') ?? ''} ${given(one, 'id') ?? ''}`.split(' ').includes(el ?? other ?? ''),
      ),
  )

/** `<Swiper autoplay>` and Bootstrap's `data-bs-ride="carousel"`, if they have arrows or dots. */
function byAttribute(page: PageTree): Carousel[] {
  return elementsIn(page.root).flatMap((element) => {
    const autoplay = element.attributes.find(
      ({ name, value }) =>
        (element.name === 'swiper' && /^:?autoplay$/.test(name)) ||
        // Bootstrap 4 turns again once a mouse has left.
        (name === 'data-bs-ride' && value === 'carousel'),
    )
    if (autoplay === undefined) return []
    const code = page.text.slice(element.start, element.end)
    const said = page.text.slice(autoplay.start, autoplay.end)
    const isSwiper = element.name === 'swiper'
    const byDefault = isSwiper ? '3000' : '5000'
    const isTurned = isSwiper
      ? element.attributes.some(
          (one) => /^:?(navigation|pagination)$/.test(one.name) && hasItsButtons(page, one),
        )
      : /data-bs-slide=/.test(code)
    const saysSomething = SAYS.test(withoutComments(code)) || wordsIn(element).split(' ').length > MIN_WORDS
    const isOff = /autoplay=["{]false/.test(said)
    return isTurned && saysSomething && !isOff && !SEVERAL.test(code)
      ? [
          {
            names: ['id', 'class'].map((name) => given(element, name) ?? ''),
            milliseconds: Number(
              (DELAY.exec(said)?.[1] ?? given(element, 'data-bs-interval') ?? byDefault).replaceAll('_', ''),
            ),
            changes: [
              { start: core(page.text, 0, autoplay.start).end, end: autoplay.end, text: '', unit: element },
            ],
          },
        ]
      : []
  })
}

/** `const settings = { autoplay: true }` of a `<Slider {...settings}>`, which has arrows by default. */
function bySlick(page: PageTree): Carousel[] {
  const [slider, ...more] = elementsIn(page.root).filter(({ tag }) => tag === 'Slider')
  if (slider === undefined || more.length > 0 || !/from\s*["']react-slick["']/.test(page.text)) return []
  const found = [...page.text.matchAll(/(?<=\n\s*)autoplay:\s*true(?=,)/g)]
  const [only] = found
  if (only === undefined || found.length > 1) return []
  const object = literalAround(page.text, only.index)
  if (object === null || !SAYS.test(withoutComments(page.text.slice(slider.start, slider.end)))) return []
  const code = page.text.slice(object.start, object.end)
  if (SEVERAL.test(code)) return []
  if (/arrows:\s*false/.test(code) && !/dots:\s*true/.test(code)) return []
  const start = only.index + only[0].length - 'true'.length
  return [
    {
      names: [],
      milliseconds: Number(/autoplaySpeed:\s*(\d+)/.exec(code)?.[1] ?? 3000),
      changes: [
        { start, end: only.index + only[0].length, text: 'false', unit: { ...object, parent: null } },
      ],
    },
  ]
}

/** The object literal around a place that has objects of its own only behind it. */
function literalAround(text: string, at: number): { start: number; end: number } | null {
  const start = text.lastIndexOf('{', at)
  let depth = 0
  for (let end = start; start >= 0 && end < text.length; end++) {
    if (text[end] === '{') depth++
    if (text[end] === '}') depth--
    if (depth === 0) return { start, end: end + 1 }
  }
  return null
}

const THE_REVIEWS = 'the customer reviews'
const IS_PART = /(section|carousel|slider|slideshow|swiper)s?$/i

/** The words for a carousel: by its file and what its code calls the state, or by its heading. */
function namedBy(page: PageTree, names: readonly string[]) {
  const heading = headingOf(page, /^h[1-3]$/)
  const file = page.path.replace(/^.*\//, '').replace(/\.\w+$/, '')
  const part = wordsOfCode(file.replace(IS_PART, '')).toLowerCase()
  const thing = REVIEWS.test(`${file} ${heading} ${names.join(' ')}`)
    ? THE_REVIEWS
    : OPENING.test(`${page.path} ${names.join(' ')}`)
      ? 'the opening slides'
      : IS_PART.test(file) && part !== ''
        ? `the ${part} slides`
        : heading === ''
          ? null
          : `the slides of ${quoted(heading)}`
  return { thing, heading }
}

export const carouselAutoplay: ProposalRule = {
  ruleId: 'carousel-autoplay',
  why: 'What moves by itself is taken for advertising, and turns away while people read.',
  *find({ page, ways, isOnPhones }) {
    if (NO_TEXT.test(page.path) || SHOWS_TIME.test(page.text)) return
    const [only, ...more] = [...byEffect(page, isOnPhones), ...byAttribute(page), ...bySlick(page)]
    if (only === undefined || more.length > 0) return
    const { milliseconds, changes, names } = only
    const { thing, heading } = namedBy(page, names)
    if (thing === null || milliseconds < TURNS.min || milliseconds > TURNS.max) return
    const isOfReviews = thing === THE_REVIEWS
    const seconds = Math.round(milliseconds / 100) / 10
    yield {
      mechanism: 'friction',
      name: `Let visitors turn ${thing} themselves`,
      anchor: `carousel "${heading}"`,
      topics: ['carousel', 'slider', heading, thing],
      displayName: 'Turned by visitors alone',
      says: null,
      changes,
      change: `${thing} wait until visitors turn them, instead of turning after ${seconds} seconds`,
      goal: mainActOf(ways) ?? 'click',
      because: 'people look past what moves by itself, and lose the line that they are reading when it turns',
      effect: isOfReviews ? 3 : 2.5,
    }
  },
}
