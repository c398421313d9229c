import { type Change, insertAt } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { above, type Element, elementsIn, type Page, textsIn, wordsIn } from '../../markup/tree.js'
import { isButton, isField, labelOf, lineBreakBefore, sourceOf } from '../../surface.js'
import { optionsIn, setOption, setTo } from './options.js'
import { isChosen, type State, startWith, statesOf, stringIn, withString } from './state.js'

const ACCOUNT =
  /^(account|register|registration|sign-?up|create(-?account)?|konto|registrieren|compte|inscription|cuenta|registro)$/i
const GUEST = /^(guest|as-?guest|guest-?checkout|gast|invit[eé]|invitado)$/i
const PAYS =
  /checkout|basket|\bcart|\border|kasse|warenkorb|bestell|panier|commande|paiement|carrito|pedido|compra|\bpago/i

/**
 * A checkout that begins with making an account though it can be gone through as a guest: it begins as a guest, and the account is one press away. Not where nothing would
 * lead to the account any more.
 */
export function* guest({ page }: View): Generator<Idea> {
  if (!PAYS.test(page.path) && !PAYS.test(wordsIn(page.root))) return
  const changes = inMarkup(page) ?? inCode(page)
  if (changes === null) return
  yield {
    mechanism: 'default choice',
    pattern: 'guest-first',
    name: 'Begin the checkout as a guest, with the account one press away',
    anchor: 'code "account or guest"',
    topics: ['checkout', 'guest', 'account', 'form'],
    arms: [{ name: 'Guest first', changes, says: null }],
    audience: 'visitors who want to buy and have no account',
    change:
      'beginning the checkout as a guest and offering the account as the second way, and not the other way round,',
    because: 'a password to think of before paying is a reason to stop, and the order needs none',
    goal: 'purchase',
    effect: 4,
  }
}

function inMarkup(page: Page): Change[] | null {
  for (const all of optionsIn(page)) {
    const other = all.options.find(({ value }) => GUEST.test(value))
    if (other !== undefined && ACCOUNT.test(setOption(page, all)?.value ?? '')) return setTo(page, all, other)
  }
  return null
}

function inCode(page: Page): Change[] | null {
  const quoted = [...page.text.matchAll(/["'`]([\w-]+)["'`]/g)].map(([, word = '']) => word)
  const other = quoted.find((word) => GUEST.test(word))
  if (other === undefined) return null
  for (const state of statesOf(page)) {
    const own = stringIn(state.says)
    if (own === null || !ACCOUNT.test(own) || !isChosen(page, state)) continue
    const back = wayBack(page, state, own, other)
    if (back !== null) return [startWith(state, withString(state.says, other)), ...back]
  }
  return null
}

const LONGEST_WORDS = 80

/** What has to come along so that an account can still be made: nothing, or a button like the one for guests; `null` where it cannot be written. */
function wayBack(page: Page, { name, setter }: State, own: string, other: string): Change[] | null {
  const sets = (value: string): RegExp =>
    new RegExp(
      `\\b(?:${setter ?? `${name}(?:\\.value)?\\s*=`})\\s*\\(?\\s*["']${value}["']|value=["']${value}["']`,
    )
  if (sets(own).test(page.text)) return []
  const button = elementsIn(page.root).find((one) => isButton(one) && sets(other).test(sourceOf(page, one)))
  const code = button === undefined ? undefined : shownOnlyThen(button)
  const label = button === undefined ? null : labelOf(button)
  const intro = code === undefined ? undefined : introOf(code)
  if (button === undefined || code?.parent == null || label === null || intro === undefined) return null
  const words = page.text.slice(intro.start, intro.end)
  const source = page.text.slice(button.start, button.end)
  const at = label.start - button.start
  const copy = (source.slice(0, at) + words + source.slice(at + label.end - label.start)).replace(
    new RegExp(`(["'])${other}\\1`),
    `$1${own}$1`,
  )
  const gap = lineBreakBefore(page, code) || ' '
  // What goes on with an “else” has nothing put between.
  if (/^\s*<[^>]*\bv-else/.test(page.text.slice(code.end)) || /\{:else/.test(sourceOf(page, code)))
    return null
  const written = {
    jsx: `{${name} === '${other}' && (${gap}  ${copy}${gap})}`,
    svelte: `{#if ${name} === '${other}'}${gap}  ${copy}${gap}{/if}`,
    vue: copy.replace(/^<[\w-]+/, (tag) => `${tag} v-if="${name} === '${other}'"`),
    html: null,
  }[page.dialect]
  return written === null ? null : [insertAt(code.end, gap + written, code.parent)]
}

/** What code shows only while an account is made. */
const shownOnlyThen = (element: Element): Element | undefined => {
  let found: Element | undefined
  for (const one of above(element)) {
    if (one.tag === 'form') break
    if (one.tag === '#code') found = one
  }
  return found
}

/** What it says of the account before its first field. */
function introOf(code: Element): { start: number; end: number } | undefined {
  const first = elementsIn(code).find(isField)
  return textsIn(code).find(
    ({ value, parent, end }) =>
      end < (first?.start ?? 0) &&
      value.length <= LONGEST_WORDS &&
      !isButton(parent) &&
      ![parent, ...above(parent)].some(({ tag }) => tag === 'label'),
  )
}
