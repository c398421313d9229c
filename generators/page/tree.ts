import { core } from '../../variants/text.js'
import type { Texts } from './locales.js'

/** The page that a visitor sees, in one form for all languages. Offsets count from the start of the file. */

export interface SourceRange {
  start: number
  end: number
}

export interface Attribute extends SourceRange {
  /** the name in HTML: `class` and `for`, in lower case */
  name: string
  /** `null` if code computes it, `''` for an attribute without a value */
  value: string | null
  /** the range of the value without quotes, if it is written as text */
  own: SourceRange | null
  /** set if the value is a string elsewhere in the file, or the text of a key */
  text?: SourceRange & Pick<Text, 'value' | 'quote' | 'key' | 'holder' | 'takenBy'>
  /** the code of the value, if that alone can be an edit */
  code?: SourceRange | undefined
}

export interface Text extends SourceRange {
  kind: 'text'
  value: string
  /** how new words are written: as markup, or as a string with this quote */
  quote: '"' | "'" | null
  parent: PageElement
  /** set if it is the text of a key; the range is the key's literal, or the element that names it */
  key?: string
  /** the object of a list that it is a property of */
  holder?: PageElement
  /** set if it is an attribute's value: the range that can be an edit, and the element */
  attribute?: SourceRange & { parent: PageElement }
  /** the element that can be an edit, if the text is a part of an expression that cannot */
  whole?: PageElement
  /** the name of a module's constant, which a new text replaces here */
  takenBy?: string
}

/** `tag` is `''` for fragments and the root, `#code` for code that decides whether its content is shown. */
export interface PageElement extends SourceRange {
  kind: 'element'
  tag: string
  /** the last part of the tag in lower case: `select` for `Form.Select` */
  name: string
  attributes: Attribute[]
  children: (PageElement | Text)[]
  parent: PageElement | null
  /** code computes a part of its text */
  hasCode: boolean
}

export type DialectName = 'html' | 'jsx' | 'vue' | 'svelte'

export interface PageTree {
  path: string
  text: string
  dialect: DialectName
  root: PageElement
  lang: string | null
  /** the files in which its keys are looked up */
  texts?: Texts
  /** its texts have keys, so that a text written into it would be of one language for all */
  isTranslated?: boolean
}

/** Attributes by which components are given what they show, and the element that they probably show it as. */
const SHOWN_AS: readonly { is: RegExp; tag: string }[] = [
  { is: /^(title|heading|headline|titel|ueberschrift|titre|titulo|encabezado)$/, tag: 'h2' },
  {
    is: /^(subtitle|subheading|description|tagline|lead|intro|subtext|untertitel|beschreibung|sous-?titre|accroche|subtitulo|descripcion)$/,
    tag: 'p',
  },
  {
    is: /^(button|cta|action|submit|primary|link|more)[-_]?(text|label|title)$|^(cta|calltoaction|bouton|boton|knopf|knopftext|texte-?bouton|texto-?boton)$/,
    tag: 'button',
  },
]

/** Adds what a component is given to show as if it were markup inside of it. */
export function addShown(element: PageElement): void {
  if (!isComponent(element)) return
  for (const { name, value, own, text, start, end, code } of element.attributes) {
    const isLabel = name === 'label' && /(button|btn|cta)$/.test(element.name)
    const tag = isLabel ? element.tag : SHOWN_AS.find(({ is }) => is.test(name))?.tag
    if (
      tag === undefined ||
      value === null ||
      collapsed(value) === '' ||
      (own === null && text === undefined)
    )
      continue
    const shown = isLabel ? element : elementAt(tag, { start, end }, element)
    if (!isLabel) element.children.push(shown)
    const attribute = { ...(code ?? { start, end }), parent: element }
    if (text !== undefined) shown.children.push({ kind: 'text', parent: shown, attribute, ...text })
    else if (own !== null)
      shown.children.push({ kind: 'text', value, quote: null, parent: shown, attribute, ...own })
  }
}

const isComponent = ({ tag }: PageElement): boolean => /^[A-Z]/.test(tag) || /^[a-z]+-[a-z-]+$/.test(tag)

export const elementAt = (tag: string, place: SourceRange, parent: PageElement | null): PageElement => ({
  kind: 'element',
  tag,
  name: tag.slice(tag.lastIndexOf('.') + 1).toLowerCase(),
  start: place.start,
  end: place.end,
  attributes: [],
  children: [],
  parent,
  hasCode: false,
})

/** Adds text that is written as markup, unless it is blank. */
export function addText(parent: PageElement, said: string, text: string, place: SourceRange): void {
  const value = collapsed(said)
  if (value !== '')
    parent.children.push({ kind: 'text', value, quote: null, parent, ...core(text, place.start, place.end) })
}

/** Adds what an expression says. Code computes it if that is not known. */
export function addSaid(parent: PageElement, said: Omit<Text, 'kind' | 'parent'> | null): void {
  if (said === null) parent.hasCode = true
  else parent.children.push({ kind: 'text', parent, ...said })
}

/** `sending ? 'Sending…' : 'Send'` between braces: both texts, one of which is shown. */
const EITHER = /^[{\s]*[^?{}'"]+\?\s*(['"])((?:(?!\1)[^\\\n])*)\1\s*:\s*(['"])((?:(?!\3)[^\\\n])*)\3[}\s]*$/

export function addEither(parent: PageElement, text: string, { start, end }: SourceRange): boolean {
  const found = EITHER.exec(text.slice(start, end))
  if (found === null) return false
  const code = elementAt('#code', { start, end }, parent)
  parent.children.push(code)
  let from = start
  for (const [quote, value] of [found.slice(1, 3), found.slice(3, 5)]) {
    from = text.indexOf(`${quote}${value}${quote}`, from)
    const until = from + (value ?? '').length + 2
    if (quote === '"' || quote === "'")
      code.children.push({
        kind: 'text',
        value: value ?? '',
        quote,
        parent: code,
        whole: parent,
        start: from,
        end: until,
      })
    from = until
  }
  return true
}

/** The text of a key, at the place of the key. */
export type KeyedWords = SourceRange & { value: string; quote: '"' | "'"; key: string }

export const collapsed = (text: string): string => text.replace(/[ \t\r\n\f]+/g, ' ').trim()

const elements = new WeakMap<PageElement, readonly PageElement[]>()
const texts = new WeakMap<PageElement, readonly Text[]>()

/** All elements below one, in the order of the file. Cached, so call it only for finished trees. */
export const elementsIn = (root: PageElement): readonly PageElement[] =>
  gathered(elements, root, (into, child) => {
    if (child.kind === 'element') into.push(child)
  })

export const textsIn = (root: PageElement): readonly Text[] =>
  gathered(texts, root, (into, child) => {
    if (child.kind === 'text') into.push(child)
  })

function gathered<T>(
  known: WeakMap<PageElement, readonly T[]>,
  root: PageElement,
  take: (into: T[], child: PageElement | Text) => void,
): readonly T[] {
  const before = known.get(root)
  if (before !== undefined) return before
  const into: T[] = []
  const walk = (element: PageElement): void => {
    for (const child of element.children) {
      take(into, child)
      if (child.kind === 'element') walk(child)
    }
  }
  walk(root)
  known.set(root, into)
  return into
}

const words = new WeakMap<PageElement, string>()

/** The words of an element as they are read. Cached. */
export function wordsIn(element: PageElement): string {
  const known = words.get(element)
  if (known !== undefined) return known
  const own = collapsed(
    textsIn(element)
      .map(({ value }) => value)
      .join(' '),
  )
  words.set(element, own)
  return own
}

export const attribute = (element: PageElement, name: string): Attribute | undefined =>
  element.attributes.find((one) => one.name === name)

export const given = (element: PageElement, name: string): string | null =>
  attribute(element, name)?.value ?? null

export const has = (element: PageElement, name: string): boolean => attribute(element, name) !== undefined

export function* above(element: PageElement): Generator<PageElement> {
  for (let one = element.parent; one !== null; one = one.parent) yield one
}

/** Whether a place lies within another one of the same file. */
export const isInside = (inner: SourceRange, outer: SourceRange): boolean =>
  inner.start >= outer.start && inner.end <= outer.end

export const isInCode = (element: PageElement): boolean =>
  element.tag === '#code' || [...above(element)].some(({ tag }) => tag === '#code')

/** Looks up the texts that a page shows by key. */
export interface KeyedTexts {
  /** set once the page has looked up a key */
  asked: boolean
  of(key: string, namespace?: string): { value: string; key: string } | undefined
}
