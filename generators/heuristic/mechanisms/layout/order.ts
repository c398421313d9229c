import { insertAt, removeWith } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import {
  above,
  besides,
  type Element,
  elementsIn,
  given,
  isInCode,
  isWithin,
  wordsIn,
} from '../../markup/tree.js'
import {
  anchorOf,
  bare,
  classOf,
  type Form,
  headingNear,
  isButton,
  isEmail,
  isField,
  isLink,
  labelOf,
  lineBreakBefore,
  sourceOf,
} from '../../surface.js'
import { plain } from '../../uses.js'
import type { Language } from '../../words/language.js'
import { countOf } from '../forms/called.js'
import { goalOfPlans } from '../words/specificity.js'
import { openingOf } from './blocks.js'
import { shownBy } from './dress.js'
import { hasTitle, withPicture } from './neighbours.js'

export function* order(view: View): Generator<Idea> {
  yield* providersFirst(view)
  yield* providerPartFirst(view)
  yield* checkoutBeforeCodes(view)
  yield* productsFirst(view)
  yield* dearestFirst(view)
  yield* sendFirst(view)
}

const PROVIDER =
  /\b(google|facebook|github|apple|microsoft|twitter|linkedin|gitlab|franceconnect|proconnect)\b/i

/**
 * Ways in by another account that stand below all fields: they come first, and the line that parts the two goes between. Writes no text. Not where they
 * stand above the fields already.
 */
function* providersFirst(view: View): Generator<Idea> {
  const { page, forms } = view
  const form = forms.find(({ purpose }) => purpose === 'sign in' || purpose === 'sign up')
  if (form?.purpose !== 'sign in' && form?.purpose !== 'sign up') return
  const providers = [...elementsIn(page.root)].filter(
    (one) => isButton(one) && PROVIDER.test(wordsIn(one)) && wordsIn(one).split(' ').length <= 5,
  )
  // The first button of a form that sends it is what the return key presses.
  const sends = providers.some(
    (one) => !isLink(one) && given(one, 'type') !== 'button' && [...above(one)].includes(form.element),
  )
  if (sends) return
  const all = [...form.fields, ...providers]
  const holder = [form.element, ...above(form.element)].find((one) =>
    all.every((inner) => isWithin(inner, one)),
  )
  if (providers.length === 0 || holder === undefined || holder.end - holder.start > 5500) return
  const children = holder.children.filter((one): one is Element => one.kind === 'element')
  const fields = children.filter((one) => form.fields.some((inner) => isWithin(inner, one)))
  const [first] = fields
  const moved = [...new Set(providers.map((one) => aloneWith(one, providers, form)))]
  const [firstMoved] = moved
  if (first === undefined || firstMoved === undefined) return
  if (moved.some((one) => one.start < (fields.at(-1) ?? first).end)) return
  const row = besides(firstMoved)
  const before = row[row.indexOf(firstMoved) - 1]
  const isDivider =
    before !== undefined &&
    !fields.includes(before) &&
    !isButton(before) &&
    ![...elementsIn(before)].some(isButton) &&
    (before.tag === 'hr' || /^[-–—\s]*(or|oder|ou|o)\b/i.test(wordsIn(before))) &&
    wordsIn(before).length <= 40
  const divider = isDivider ? [before] : []
  const said = isDivider ? dividerBefore(view, before, form) : ''
  if (said === null) return
  const line = lineBreakBefore(page, first)
  // Where an empty line parts them, it does so in their new place.
  const isApart = line !== '' && /\n\s*\n\s*$/.test(page.text.slice(0, firstMoved.start))
  const gap = isApart ? `${line.startsWith('\r') ? '\r\n' : '\n'}${line}` : line || ' '
  const names = providers.map(wordsIn).join(', ')
  yield {
    mechanism: 'order',
    pattern: 'providers-first',
    name: `Offer ${names} before the form (${form.purpose})`,
    anchor: anchorOf(form.element, `${form.purpose}: ${names}`),
    topics: [form.purpose, 'form', 'social login', form.heading],
    arms: [
      {
        name: 'Providers first',
        changes: [
          insertAt(
            first.start,
            [...moved.map((one) => sourceOf(page, one)), ...divider.map(() => said)]
              .map((one) => one + gap)
              .join(''),
            holder,
          ),
          ...[...moved, ...divider].map((one) => ({
            start:
              lineBreakBefore(page, one) === '' ? one.start : page.text.slice(0, one.start).trimEnd().length,
            end: one.end,
            text: '',
            unit: holder,
          })),
        ],
        says: null,
      },
    ],
    audience: `visitors who have come to ${form.purpose}`,
    change: `putting ${names} before the ${countOf(form)} fields and not after them`,
    because: 'who would rather not type sees it before beginning to',
    goal: form.purpose,
    effect: effectOf(form.purpose, isDivider),
  }
}

/** Who has an account knows how it was made. Whether they stand below the form where nothing parts the two, styles decide. */
const effectOf = (purpose: 'sign in' | 'sign up', isParted: boolean): number =>
  purpose === 'sign in' ? 1 : isParted ? 3 : 2

/** What ends with a word that a way in follows, and how the way by the form’s own fields is called after it. */
const BY_WAY: Readonly<Record<Language, { ends: RegExp; email: (ends: string) => string }>> = {
  en: { ends: /\b(with|via|using|by)$/i, email: () => 'email' },
  de: { ends: /\b(mit|über|per|via)$/i, email: () => 'E-Mail' },
  fr: { ends: /\b(avec|via|par)$/i, email: (ends) => (/avec/i.test(ends) ? 'votre e-mail' : 'e-mail') },
  es: {
    ends: /\b(con|por|vía|usando)$/i,
    email: (ends) => (/por|vía/i.test(ends) ? 'correo electrónico' : 'el correo electrónico'),
  },
}
const BARE_OR = /^(or|oder|ou|o)$/i

/** What parts two ways in, as it reads where the fields come after it; `null` where that is not known. */
function dividerBefore({ page, language }: View, divider: Element, form: Form): string | null {
  const source = sourceOf(page, divider)
  const words = wordsIn(divider).replace(/^[-–—\s]+|[-–—\s:.…]+$/gu, '')
  if (words === '' || BARE_OR.test(words)) return source
  const label = labelOf(divider)
  const ends = language === null ? undefined : BY_WAY[language].ends.exec(words)?.[0]
  if (language === null || ends === undefined || label === null || !form.fields.some(isEmail)) return null
  if (label.quote !== null || label.key !== undefined || label.takenBy !== undefined) return null
  const email = BY_WAY[language].email(ends)
  const at = divider.start + page.text.slice(divider.start, divider.end).indexOf(source)
  const [start, end] = [label.start - at, label.end - at]
  const own = source.slice(start, end)
  const from = own.toLowerCase().lastIndexOf(ends.toLowerCase()) + ends.length
  const isLoud = own.toUpperCase() === own
  return `${source.slice(0, start)}${own.slice(0, from)} ${isLoud ? email.toUpperCase() : email}${own.slice(from)}${source.slice(end)}`
}

const PROVIDER_PART =
  /^(social|oauth|google|github|third-?party|provider)\w*(login|sign-?(in|up)|auth\w*|buttons?|providers)$/i

/** A divider between two ways in. */
const isOr = (element: Element): boolean =>
  element.tag === 'hr' || /^[-–—\s]*(or|oder|ou|o)\b.{0,30}$/i.test(wordsIn(element))

/** Ways in by another account that are a component of their own, below the form: it comes before it, with what parts the two. Writes no text. */
function* providerPartFirst(view: View): Generator<Idea> {
  const { page, forms } = view
  const form = forms.find(({ purpose }) => purpose === 'sign in' || purpose === 'sign up')
  if (form?.purpose !== 'sign in' && form?.purpose !== 'sign up') return
  const part = elementsIn(page.root).find((one) => PROVIDER_PART.test(one.tag.replace(/-/g, '')))
  if (part === undefined || part.start < form.element.end) return
  const row = besides(part)
  const block = row.find((one) => isWithin(form.element, one))
  if (block === undefined || block.end - block.start > 5500) return
  const between = row.slice(row.indexOf(block) + 1, row.indexOf(part))
  if (between.length > 1 || !between.every(isOr)) return
  const parted = between.map((one) => dividerBefore(view, one, form))
  const said = parted.filter((one) => one !== null)
  if (said.length < parted.length) return
  const gap = lineBreakBefore(page, block) || ' '
  yield {
    mechanism: 'order',
    pattern: 'providers-first',
    name: `Offer other accounts before the form (${form.purpose})`,
    anchor: anchorOf(form.element, `${form.purpose}: ${part.tag}`),
    topics: [form.purpose, 'form', 'social login', form.heading],
    arms: [
      {
        name: 'Other accounts first',
        changes: [
          insertAt(block.start, [sourceOf(page, part), ...said].map((one) => one + gap).join(''), block),
          ...[...between, part].map((one) => removeWith('', one)),
        ],
        says: null,
      },
    ],
    audience: `visitors who have come to ${form.purpose}`,
    change: `putting the ways in by another account before the ${countOf(form)} fields and not after them`,
    because: 'who would rather not type sees it before beginning to',
    goal: form.purpose,
    effect: effectOf(form.purpose, between.length > 0),
  }
}

/** The outermost element around a provider that holds neither a field nor another button, so that it can stand elsewhere by itself. */
function aloneWith(provider: Element, providers: readonly Element[], { fields }: Form): Element {
  let alone = provider
  for (const outer of above(provider)) {
    const inner = elementsIn(outer)
    if (fields.some((field) => isWithin(field, outer))) break
    if (inner.some((one) => isButton(one) && !providers.includes(one))) break
    if (outer.tag === '' || outer.tag === '#code') break
    alone = outer
  }
  return alone
}

/** What an element is, by its tag where it is a component, its id and its classes. */
const kindOf = (element: Element): string =>
  [
    /^[A-Z]/.test(element.tag) ? element.tag : '',
    given(element, 'id'),
    given(element, 'class'),
    given(element, 'data-testid'),
    given(element, 'href'),
  ].join(' ')

const CODES = /discount|coupon|promo-?_?code|voucher|gift-?_?card|gutschein|rabatt/i
const CHECKOUT = /checkout(?!-?(page|layout|form|summary))|zur-?kasse|proceed-to-pay/i

/** Whether an empty field is seen from the start: what is folded away sends nobody looking. */
const showsField = ({ page, site }: View, element: Element): boolean => {
  const own = shownBy(page, element.tag)
  const inner = own === undefined ? elementsIn(element) : elementsIn(own)
  return (
    inner.some((one) => isField(one) && !isInCode(one)) ||
    (own === undefined && site?.parts[plain(element.tag)]?.showsField === true)
  )
}

/** Whether the rest of the site could say whether a code is asked for at once. */
export const hasCodes = ({ page }: View): boolean =>
  elementsIn(page.root).some((one) => CODES.test(kindOf(one)))

/**
 * A field for a code that stands before the way to the checkout: it comes after it. Who has a code still finds it; who has none is not sent looking for
 * one. Writes no text.
 */
function* checkoutBeforeCodes(view: View): Generator<Idea> {
  const { page } = view
  for (const element of elementsIn(page.root)) {
    if (!CHECKOUT.test(kindOf(element)) || CODES.test(kindOf(element))) continue
    const row = besides(element)
    const codes = row.slice(0, row.indexOf(element)).filter((one) => CODES.test(kindOf(one)))
    const [first] = codes
    if (first === undefined || row.length < 3 || !codes.every((one) => showsField(view, one))) continue
    const holder = element.parent
    if (holder === null || holder.end - holder.start > 5500) continue
    const gap = lineBreakBefore(page, element)
    // A line that parts the codes from what follows goes with them.
    const after = row[row.indexOf(codes.at(-1) ?? first) + 1]
    const lines =
      after !== undefined && after !== element && /^(hr|divider|separator)$/i.test(after.tag) ? [after] : []
    yield {
      mechanism: 'order',
      pattern: 'checkout-before-codes',
      name: 'Put the way to the checkout before the field for a code',
      anchor: anchorOf(element, kindOf(element).trim().split(' ')[0] ?? ''),
      topics: ['checkout', 'cart', 'discount', 'coupon'],
      arms: [
        {
          name: 'Checkout first',
          changes: [
            ...[...codes, ...lines].map((one) => ({
              start: one.start - lineBreakBefore(page, one).length,
              end: one.end,
              text: '',
              unit: holder,
            })),
            insertAt(
              element.end,
              [...lines, ...codes].map((one) => (gap || ' ') + sourceOf(page, one)).join(''),
              holder,
            ),
          ],
          says: null,
        },
      ],
      audience: 'visitors with something in their cart',
      change: 'showing the way to the checkout before the field for a code, which stays right below it',
      because: 'an empty field for a code sends people away to look for one',
      goal: 'purchase',
      effect: 4,
    }
    return
  }
}

const PRODUCTS = /(recommended|featured|popular|best-?(selling|seller)s?|new)?-?products?(-?(list|grid))?$/i

/** What a start page shows before its products, as visitors would call it; what is none of these stays where it is. */
const BLOCKS: readonly { is: RegExp; name: string }[] = [
  {
    is: /filter|count|sort|breadcrumb|search|heading|title|tool-?bar|hero|header|nav|slide|carousel/i,
    name: '',
  },
  { is: /collections?|categor/i, name: 'the categories' },
  { is: /testimonial|reviews/i, name: 'what others say' },
  { is: /newsletter/i, name: 'the newsletter' },
  { is: /blog|articles|posts|news/i, name: 'the articles' },
  { is: /features|benefits/i, name: 'the features' },
  { is: /brands|partners|logos/i, name: 'the brands' },
]

/** The page of a site's own address: none of a folder below it. */
function isStartPage(path: string): boolean {
  const parts = path.split('/')
  const base = (parts.pop() ?? '').replace(/\.[^.]*$/, '')
  if (/^(_index|home([-_]?(page|screen|view))?)$/i.test(base)) return true
  if (!/^(index|page|\+page)$/.test(base)) return false
  const at = parts.findLastIndex((part) => /^(app|pages|routes|views|screens|src|public|theme)$/.test(part))
  return parts
    .slice(at + 1)
    .every((part) =>
      /^(\(.*\)|\[\.*(locale|lang|lng|language|channel|country|countrycode|region)\]|home)$/i.test(part),
    )
}

/**
 * Products that a start page shows right below another block: they come first. Writes no text. Only where what is passed by is known for what it is, and
 * never past filters, headings or the page's own first words.
 */
function* productsFirst(view: View): Generator<Idea> {
  const { page } = view
  if (!isStartPage(page.path)) return
  for (const element of elementsIn(page.root)) {
    if (!/^[A-Z]/.test(element.tag) || !PRODUCTS.test(element.tag)) continue
    const row = besides(element)
    const before = row[row.indexOf(element) - 1]
    if (before === undefined || !/^[A-Z]/.test(before.tag) || PRODUCTS.test(before.tag)) continue
    const name = BLOCKS.find(({ is }) => is.test(before.tag))?.name ?? ''
    if (opensPage(view, row, before)) continue
    if (name === '' || isInCode(element) || element.parent === null || element.end - before.start > 4000)
      continue
    yield {
      mechanism: 'order',
      pattern: 'products-first',
      name: `Show the products before ${name}`,
      anchor: anchorOf(element, element.tag),
      topics: ['home', 'products', 'sections', element.tag, before.tag],
      arms: [
        {
          name: 'Products first',
          changes: [
            { start: before.start, end: before.end, text: sourceOf(page, element), unit: element.parent },
            { start: element.start, end: element.end, text: sourceOf(page, before), unit: element.parent },
          ],
          says: null,
        },
      ],
      audience: 'visitors who arrive on the start page',
      change: `showing the products above ${name}`,
      because: 'what can be bought is seen sooner',
      goal: 'purchase',
      effect: 2,
    }
    return
  }
}

/** Whether a page opens with a block, which nothing is shown before: with what holds its title, and else with its first. */
function opensPage(view: View, row: readonly Element[], block: Element): boolean {
  const shown = row.filter(({ tag }) => tag !== '#code')
  const parent = block.parent
  const opening = parent === null ? null : openingOf(shown, parent, true, (one) => hasTitle(view, one))
  return opening === null || shown.indexOf(block) <= withPicture(view, shown, opening)
}

const BUILDS_ON =
  /\b(everything|all( the)? features?|all) (in|from|of)\b|\bplus:|\balles (aus|von|in)\b|\balle funktionen (aus|von)\b|\btout (de|du|ce)\b|\btoutes les fonctionnalités (de|du)\b|\btodo (lo )?(de|del|en)\b/i

/** Plans from cheap to dear: the other way round, so that the first price read is the full offer's. Writes no text. */
function* dearestFirst({ page, plans }: View): Generator<Idea> {
  for (const { parent, plans: row } of plans) {
    const prices = row.map(({ price }) => price)
    const known = prices.filter((price): price is number => price !== null)
    const isRising =
      known.length === row.length &&
      known.every((price, index) => index === 0 || price > (known[index - 1] ?? 0))
    if (
      !isRising ||
      row.length < 3 ||
      row.some(({ name }) => isInCode(name)) ||
      // “Everything in Starter” is read after Starter.
      row.some(({ element }) => BUILDS_ON.test(wordsIn(element))) ||
      // What looks or moves otherwise by its place is no plan that can stand in another.
      new Set(row.map(({ element }) => `${given(element, 'class') ?? ''} ${given(element, 'style') ?? ''}`))
        .size > 1 ||
      parent.end - parent.start > 5500
    )
      continue
    const reversed = [...row].reverse()
    yield {
      mechanism: 'order',
      pattern: 'plans-dearest-first',
      name: 'Show the plans from the fullest to the smallest',
      anchor: anchorOf(parent, row.map(({ name }) => wordsIn(name)).join(' / ')),
      topics: ['pricing', 'price', 'plan'],
      arms: [
        {
          name: 'Fullest plan first',
          changes: row.map(({ element }, index) => ({
            start: element.start,
            end: element.end,
            text: sourceOf(page, reversed[index]?.element ?? element),
            unit: parent,
          })),
          says: null,
        },
      ],
      audience: 'visitors who compare the plans',
      change: `showing them as ${reversed.map(({ name }) => wordsIn(name)).join(', ')}; prices and contents stay as they are`,
      because: 'the first one read is what the others are compared with',
      goal: goalOfPlans(row),
      // What is needed is bought, whatever stands first: only of the same thing in several sizes, of which none is free, one takes more.
      effect:
        known[0] !== 0 &&
        row.every(({ element }) => OF_ONE_KIND.test(`${classOf(element) ?? ''} ${wordsIn(element)}`))
          ? 3
          : 2,
    }
  }
}

const OF_ONE_KIND =
  /\b(plan|tier|package|pricing|paket|tarif|formule|offre|abo|month|mo|monthly|year|yr|user|monat|jahr|mois|mes|año)s?\b/i

const RESETS = /^(reset|clear|zurücksetzen|leeren|effacer|réinitialiser|limpiar|restablecer)$/

/** A form whose row of buttons begins with the one that throws the entries away: the one that sends comes first. */
function* sendFirst({ page, forms }: View): Generator<Idea> {
  for (const { element, submit, purpose, fields, heading } of forms) {
    if (submit === null || fields.length === 0) continue
    const row = besides(submit).filter(isButton)
    const before = row.slice(0, row.indexOf(submit))
    const first = before[0]
    if (
      first === undefined ||
      row.length > 3 ||
      isInCode(submit) ||
      !before.every((one) => RESETS.test(bare(labelOf(one)?.value ?? '')))
    )
      continue
    if (![...elementsIn(element)].includes(submit) || classOf(submit) === null) continue
    // One that looks quieter is told apart already, and may stand first by the site's own custom.
    if (before.some((one) => classOf(one) !== classOf(submit))) continue
    const parent = submit.parent
    if (parent === null || parent.tag === '#code') continue
    const gap = lineBreakBefore(page, submit)
    yield {
      mechanism: 'order',
      pattern: 'send-before-cancel',
      name: `Put “${wordsIn(submit)}” before “${before.map(wordsIn).join('”, “')}”`,
      anchor: anchorOf(submit),
      topics: ['form', 'button', heading, headingNear(submit)],
      arms: [
        {
          name: `“${wordsIn(submit)}” first`,
          changes: [
            insertAt(first.start, sourceOf(page, submit) + gap, parent),
            { start: submit.start - gap.length, end: submit.end, text: '', unit: parent },
          ],
          says: null,
        },
      ],
      audience: `visitors who have filled in the ${fields.length} fields of this form`,
      change: `placing “${wordsIn(submit)}” where one comes to it first, by eye and by keyboard`,
      because:
        'the first button after the last field is pressed out of habit, and here it throws the entries away',
      goal: purpose === null ? 'click' : purpose === 'checkout' ? 'purchase' : purpose,
      effect: 1,
    }
  }
}
