import { insertAt } from '../edits.js'
import type { Idea, View } from '../idea.js'
import { besides, type Element, elementsIn, isInCode, wordsIn } from '../markup/tree.js'
import {
  anchorOf,
  bare,
  classOf,
  formsOf,
  headingNear,
  isButton,
  labelOf,
  lineBreakBefore,
  sourceOf,
} from '../surface.js'

export function* order(view: View): Generator<Idea> {
  yield* providersFirst(view)
  yield* dearestFirst(view)
  yield* sendFirst(view)
}

const PROVIDER =
  /\b(google|facebook|github|apple|microsoft|twitter|linkedin|gitlab|franceconnect|proconnect)\b/i

/** Ways in by another account that stand below all fields: they come first. Writes no text. Not where they stand above the fields already. */
function* providersFirst({ page }: View): Generator<Idea> {
  for (const form of formsOf(page)) {
    if (form.purpose !== 'sign in' && form.purpose !== 'sign up') continue
    const children = form.element.children.filter((one): one is Element => one.kind === 'element')
    const providers = children.filter((one) => isButton(one) && PROVIDER.test(wordsIn(one)))
    const [first] = children
    const firstProvider = providers[0]
    const lastField = children.findLastIndex((one) =>
      form.fields.some((field) => field.start >= one.start && field.end <= one.end),
    )
    if (first === undefined || firstProvider === undefined || children.indexOf(firstProvider) < lastField)
      continue
    if (lastField < 0 || form.element.end - form.element.start > 5000) continue
    const gap = lineBreakBefore(page, first)
    const moved = providers.map((one) => sourceOf(page, one) + gap).join('')
    const rules = children
      .filter(({ tag }, index) => tag === 'hr' && index < children.indexOf(firstProvider))
      .slice(-1)
    const rule = rules[0]
    const changes = [
      insertAt(first.start, moved + (rule === undefined ? '' : sourceOf(page, rule) + gap), form.element),
      ...[...providers, ...rules].map((one) => {
        const lead = lineBreakBefore(page, one)
        return { start: one.start - lead.length, end: one.end, text: '', unit: form.element }
      }),
    ]
    const names = providers.map(wordsIn).join(', ')
    yield {
      mechanism: 'order',
      pattern: 'providers-first',
      name: `Offer ${names} before the form (${form.purpose})`,
      anchor: anchorOf(form.element, `${form.purpose}: ${names}`),
      topics: [form.purpose, 'form', 'social login', form.heading],
      arms: [{ name: 'Providers first', changes, says: null }],
      audience: `visitors who have come to ${form.purpose}`,
      change: `putting ${names} above the ${form.fields.length} fields and not below them`,
      because: 'who would rather not type sees it before beginning to',
      goal: form.purpose,
      effect: 4,
    }
  }
}

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
      goal: 'purchase',
      effect: 3,
    }
  }
}

const RESETS =
  /^(reset|clear|cancel|zurücksetzen|abbrechen|leeren|annuler|effacer|réinitialiser|cancelar|limpiar|restablecer)$/

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
      effect: 2,
    }
  }
}
