import { isSampleNumber, withCallingCode } from '../lexicon/calling-code.js'
import { MAIL } from '../lexicon/mail-address.js'
import { linksWithin, type PageChange } from '../page/edits.js'
import { above, type PageElement, type PageTree, type SourceRange, type Text } from '../page/tree.js'

/** International, or with an area code: at least two groups of digits, or the code of a country. */
const NUMBER =
  /(?<![\w+./-])(?:(?:\+\d{1,3}[\s./-]?|0\s)?(?:\(0?\d{1,5}\)[\s./-]{0,3}|0?\d{2,5}[\s./-]{1,3})\d{2,8}(?:[\s./-]{1,3}\d{2,8}){0,4}|\+\d{1,3}[\s./-]?\d{8,11}|\d{9,11})(?![\w%€$]|[./-]\d)/g
/** `+48 48 572 127 200`: the code of the country again. In a shorter one, 48 is the area. */
const MAX_DIGITS = 12
const TWICE = /^\+(\d{2,3})[\s./-]?(?:\+|00)?\1[\s./-]/
/** Digits in one group are a number only if the words beside them call them one. */
const IS_ONE_GROUP = /^\d+$/
const NAMED =
  /(?:phone|mobile|\btel|call|handy|portable|m[oó]vil|celular|cellulare|mobiel|\bgsm|whatsapp)\w*\.?\s*:?\s*$/i
const SAMPLE_MAIL =
  /example|domain|yourmail|email@|your@|@test|^(abc|xyz|asdf|test|name|user(name)?|someone|(john|jane)[._]?doe)@|@(your\w*|company|website)\./i
const NO_CALL =
  /\bfax\b|\bvat\b|\biban\b|\bust\b|\bcnpj\b|\bp\.? ?iva\b|partita iva|\bbtw\b|\bkvk\b|\bnip\b|\bregon\b|\bkrs\b|\bvergi\b|\bsiret\b|\biso\b|\bnr\.|\bid\b/i

/** Digits by which numbers are compared: all but the code of the country and the zero before the area. */
const COMPARED = 8

/** The part that all ways to write a number or an address have in common. */
export const keyOf = (said: string): string =>
  said.includes('@') ? said.toLowerCase() : said.replace(/\D/g, '').slice(-COMPARED)

/** The telephone numbers of a text, and not the samples of a template. */
export const numbersIn = (text: string): string[] =>
  NO_CALL.test(text)
    ? []
    : [...text.matchAll(NUMBER)].flatMap(({ 0: said, index }) => {
        const digits = digitsOf(said)
        const { length } = digits.replace('+', '')
        if (TWICE.test(said) && length > MAX_DIGITS) return []
        const isNumber = !IS_ONE_GROUP.test(said) || NAMED.test(text.slice(0, index))
        return isNumber && length >= 9 && length <= 14 && !isSampleNumber(digits) ? [said] : []
      })

/** The e-mail addresses of a text, unless they stand beside a number that a template invented. */
export const mailsIn = (text: string): string[] =>
  [...text.matchAll(NUMBER)].some(([said]) => isSampleNumber(digitsOf(said)))
    ? []
    : (text.match(MAIL) ?? []).filter((said) => !SAMPLE_MAIL.test(said))

export const isSampleMail = (said: string): boolean => SAMPLE_MAIL.test(said)

export const digitsOf = (said: string): string => said.replace(/\(0\)|[^\d+]/g, '')

/** The address that calls a number or writes to an address. */
export const addressOf = (said: string, codes: ReadonlySet<string>): string =>
  said.includes('@') ? `mailto:${said}` : `tel:${withCallingCode(digitsOf(said), codes)}`

/** A number or an address as a page shows it. */
export interface ContactText {
  said: string
  line: Text
}

/** Links around contacts at the places that show them. */
export function linksAround(
  contacts: readonly ContactText[],
  page: PageTree,
  openingOf: (said: string) => string,
): PageChange[] {
  const places = new Map(contacts.map(({ line }) => [`${line.start} ${line.end}`, line]))
  return [...places.values()].flatMap((line) => {
    const own = contacts.filter((one) => one.line.start === line.start && one.line.end === line.end)
    if (line.isPlain) {
      let from = line.start
      const links = own.flatMap(({ said }) => {
        const start = page.text.indexOf(said, from)
        if (start < 0 || start >= line.end) return []
        from = start + said.length
        return [{ start, end: from, opening: openingOf(said) }]
      })
      return linksWithin(line, links)
    }
    const said = own.map((one) => one.said)
    const text = chosen(said, page, line, openingOf)
    return [{ start: line.start, end: line.end, text, unit: line.parent }]
  })
}

/** `info.value`, shown by `{info.value}` or `{{ info.value }}`. */
const SHOWN = /^\{\{?\s*([\w$]+(?:\??\.[\w$]+)*)\s*\}?\}$/

/** The name by which a file shows a text that it does not write as plain words. */
export const nameIn = ({ text }: PageTree, { start, end }: SourceRange): string | null =>
  SHOWN.exec(text.slice(start, end))?.[1] ?? null

/** A link around a value, only if it is one of these: a loop shows other ones at the same place. */
function chosen(
  said: readonly string[],
  page: PageTree,
  line: Text,
  openingOf: (said: string) => string,
): string {
  const shown = page.text.slice(line.start, line.end)
  const name = nameIn(page, line) ?? ''
  const cases = said.map((one) => ({
    is: `${name} === '${one}'`,
    opening: openingOf(one),
  }))
  const [only] = cases
  if (!isInLoop(line.parent, page)) return `${only?.opening ?? ''}${shown}</a>`
  if (page.dialect === 'jsx')
    return `{${cases.map(({ is, opening }) => `${is} ? ${opening}${shown}</a> : `).join('')}${name}}`
  if (page.dialect === 'svelte') {
    const blocks = cases.map(
      ({ is, opening }, at) => `{${at === 0 ? '#if' : ':else if'} ${is}}${opening}${shown}</a>`,
    )
    return `${blocks.join('')}{:else}${shown}{/if}`
  }
  const links = cases.map(
    ({ is, opening }, at) =>
      `${opening.replace(/^<a/, `<a ${at === 0 ? 'v-if' : 'v-else-if'}="${is}"`)}${shown}</a>`,
  )
  return `${links.join('')}<span v-else>${shown}</span>`
}

/** `details.map(…)`, `{#each details as …}` or `v-for="… in details"`, of a list in the file itself. */
const LOOP = /^\{\s*(?:\[|[\w$.]+\.map\()|^\{#each\b|^<[^>]*\sv-for=/

const isLoop = ({ tag, start }: PageElement, { text }: PageTree): boolean =>
  tag === '#code' && LOOP.test(text.slice(start, start + 400))

export const isInLoop = (element: PageElement, page: PageTree): boolean =>
  [element, ...above(element)].some((one) => isLoop(one, page))

/** Whether code decides if an element is shown, by more than a loop. */
export const isConditional = (element: PageElement, page: PageTree): boolean =>
  [element, ...above(element)].some((one) => one.tag === '#code' && !isLoop(one, page))
