import { escaped } from '../../../words.js'
import { blanked, type Element, elementsIn, given, type Page } from '../../markup/tree.js'
import { withoutRemarks } from '../choice/state.js'

const REF =
  /(?:(?<![:\w])ref\s*=\s*["']([\w$]+)["']|\bref\s*=\s*\{\s*([\w$]+)\s*\}|\bbind:this=\{\s*([\w$.]+)\s*\})/
/** An element that is handed to code as it comes; what a library registers it asks by its name. */
const REF_BY_CODE = /\bref\s*=\s*\{(?!\s*[\w$]+\s*\}|\s*(?:\w+\.)?register\b)|(?<!\w):ref\s*=/
const FINDS = String.raw`(?:querySelector(?:All)?|closest|find|matches|\$|jQuery)\(\s*["'\`][^"'\`\n]*`
const OF_FIELD =
  'value|checked|focus|blur|select|style|classList|disabled|required|validity|setCustomValidity|reportValidity|checkValidity|addEventListener|setAttribute|removeAttribute'

/** Whether code that stays reaches an element that goes, in another way than by its value: by a ref, its id, or its name in the form. */
export function isReached(page: Page, gone: readonly Element[]): boolean {
  const rest = blanked(withoutRemarks(page), gone)
  return gone
    .flatMap((one) => [one, ...elementsIn(one)])
    .some((element) => isReachedByRef(page, element, rest) || isFound(page, element, rest))
}

/** What a tag says of itself, without what stands in it. */
const openingOf = ({ text }: Page, { attributes, start }: Element): string =>
  text.slice(
    start,
    attributes.reduce((end, one) => Math.max(end, one.end), start),
  )

function isReachedByRef(page: Page, element: Element, rest: string): boolean {
  const opening = openingOf(page, element)
  if (REF_BY_CODE.test(opening)) return true
  const name = REF.exec(opening)
    ?.slice(1)
    .find((one) => one !== undefined)
  if (name === undefined || name === 'register') return false
  // Where it is made nothing is done with it yet.
  const made = new RegExp(`\\b(?:const|let|var)\\s+${escaped(name)}\\b(?!\\s*=\\s*useTemplateRef)`, 'g')
  return new RegExp(`(?<![\\w$])${escaped(name)}(?![\\w$])`).test(rest.replace(made, ''))
}

function isFound(page: Page, element: Element, rest: string): boolean {
  const [id, name] = ['id', 'name'].map((one) => given(element, one) ?? '')
  const byId = id === undefined || id === '' ? [] : waysToId(page, escaped(id))
  const byName = name === undefined || name === '' ? [] : waysToName(escaped(name))
  return [...byId, ...byName].some((way) => new RegExp(way).test(rest))
}

const waysToId = ({ dialect }: Page, id: string): string[] => [
  `getElementById\\(\\s*["'\`]${id}["'\`]`,
  `${FINDS}#${id}(?![\\w-])`,
  ...inForm(id),
  // A page's own scripts know what has an id by that.
  ...(dialect === 'html' ? [`(?<![\\w$.-])${id}\\.(?:${OF_FIELD})\\b`] : []),
]

const waysToName = (name: string): string[] => [
  `${FINDS}\\[name[~|^$*]?=\\\\?["']?${name}(?![\\w-])`,
  `getElementsByName\\(\\s*["'\`]${name}["'\`]`,
  ...inForm(name),
]

const inForm = (name: string): string[] => [
  `\\belements\\??(?:\\.${name}(?![\\w$])|\\[\\s*["'\`]${name}["'\`]|\\.namedItem\\(\\s*["'\`]${name}["'\`])`,
  `\\bdocument\\.forms(?:\\.\\w+|\\[[^\\]\\n]*\\])\\??(?:\\.${name}(?![\\w$])|\\[\\s*["'\`]${name}["'\`])`,
  `\\.${name}\\??\\.(?:${OF_FIELD})\\b`,
]
