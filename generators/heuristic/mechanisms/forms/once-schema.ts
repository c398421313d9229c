import { type Change, removeWith } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { above, type Element, elementAt, given, type Page } from '../../markup/tree.js'
import { type Form, isPassword, namesOf, ownNamesOf } from '../../surface.js'
import { withoutRemarks } from '../choice/state.js'
import { holderOf } from './ask-less.js'
import { AGAIN, aloneWith, askedOnce } from './once.js'
import { removalsOf } from './removal.js'

const RESOLVER =
  /\bresolver\s*:\s*((?:zod|yup|joi|valibot|vine|arktype|superstruct|standardSchema)Resolver\(\s*[\w.]+\s*\))(?=\s*[,}\n])/g

/**
 * A password to be typed twice in a form whose values a schema checks, wherever that stands: it is asked for once, and the schema is given it for both. What is handed on is
 * the same as before. Not where the page itself looks at the second, nor where nobody can set a forgotten password anew.
 */
export function* onceBySchema({ page, forms }: View): Generator<Idea> {
  if (page.dialect !== 'jsx' || !RESOLVES.test(page.text)) return
  for (const form of forms) yield* passwordOnce(page, form)
}

/** Where a password is set anew: who changes it is signed in, and locked out by a slip. */
const CHANGES_IT =
  /(^|[/_.\s-])(settings?|profile|dashboard|reset|forgot|change|update)|(new|old|current)_?-?pass/i
const RESOLVES = /\bresolver\s*:/

function* passwordOnce(page: Page, form: Form): Generator<Idea> {
  const all = form.fields.filter(isPassword)
  // A field of a library holds the input that it names.
  const [first, second, ...more] = all.filter((one) => !all.some((other) => [...above(other)].includes(one)))
  if (form.purpose !== 'sign up' || first === undefined || second === undefined || more.length > 0) return
  const pair = { first: nameOf(page, first), second: nameOf(page, second) }
  if (pair.first === null || pair.second === null || pair.first === pair.second) return
  if (CHANGES_IT.test(`${page.path} ${form.fields.map(ownNamesOf).join(' ')} ${pair.first}`)) return
  if (!AGAIN.test(`${namesOf(second)} ${pair.second}`)) return
  const shown = holderOf(second) ?? aloneWith(second, form)
  const removed = removalsOf(page, form, [{ field: second, shown, isRead: false }])
  const given = removed === null ? null : givenToSchema(page, { first: pair.first, second: pair.second })
  if (removed === null || given === null) return
  yield askedOnce(page, form, {
    first,
    changes: [...removed.map((one) => closed(page, one, shown)), given],
    how: 'and giving it to the check of the form for both,',
  })
}

/** By which name the library knows a field. */
function nameOf(page: Page, field: Element): string | null {
  const registered = /\bregister\(\s*["'](\w+)["']/.exec(page.text.slice(field.start, field.end))?.[1]
  const holder = holderOf(field)
  return (
    registered ?? (holder === undefined ? null : (/^\w+$/.exec(given(holder, 'name') ?? '')?.[0] ?? null))
  )
}

/** A resolver that is given the first value for both; `null` where it cannot be told, or the page looks at the second one by itself. */
function givenToSchema(page: Page, { first, second }: { first: string; second: string }): Change | null {
  const code = withoutRemarks(page)
  const looks = new RegExp(
    `\\b(?:watch|getValues|useWatch|getFieldState|setFocus)\\([^)]*["']${second}["']|\\bwatch\\(\\s*\\)|\\bwatch\\(\\s*\\[|(?:touched|dirty)\\w*\\??\\.${second}\\b`,
  )
  const [only, ...more] = code.matchAll(RESOLVER)
  const own = only?.[1]
  if (only === undefined || own === undefined || more.length > 0 || looks.test(code)) return null
  const start = only.index + only[0].length - own.length
  const place = { start, end: start + own.length }
  const text = `(values, context, options) => ${own}({ ...values, ${second}: values.${first} }, context, options)`
  return { ...place, text, unit: elementAt('#data', place, null) }
}

/** A field taken away with its line, where that needs not much to be written anew. */
function closed(page: Page, change: Change, shown: Element): Change {
  const unit = [shown, ...above(shown)].find(({ start, end }) => start === change.start && end === change.end)
  const gap = /\n?[ \t]*$/.exec(page.text.slice(0, change.start))?.[0] ?? ''
  return unit === undefined || change.text !== '' ? change : removeWith(gap, unit)
}
