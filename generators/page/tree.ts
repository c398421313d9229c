import { core } from '../../variants/text.js'

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
}

export interface Text extends SourceRange {
  kind: 'text'
  value: string
  /** it stands in the markup as plain words, and not in code or under a key */
  isPlain: boolean
  parent: PageElement
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
  /** the other languages of its texts, if these have keys */
  otherLanguages?: readonly string[]
  /** the addresses of routes by their names, as far as the site has a table of them */
  routes?: ReadonlyMap<string, string>
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
  for (const { name, value, start, end } of element.attributes) {
    const isLabel = name === 'label' && /(button|btn|cta)$/.test(element.name)
    const tag = isLabel ? element.tag : SHOWN_AS.find(({ is }) => is.test(name))?.tag
    if (tag === undefined || value === null || collapsed(value) === '') continue
    const shown = isLabel ? element : elementAt(tag, { start, end }, element)
    if (!isLabel) element.children.push(shown)
    addSaid(shown, value, { start, end })
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
  const range = core(text, place.start, place.end)
  // Entities and expressions would not survive being written as plain words.
  const isPlain = !/[&{}<>]/.test(text.slice(range.start, range.end))
  if (value !== '') parent.children.push({ kind: 'text', value, isPlain, parent, ...range })
}

/** Adds what code says at a place. Code computes it if that is `undefined`. */
export function addSaid(parent: PageElement, said: string | undefined, { start, end }: SourceRange): void {
  const value = collapsed(said ?? '')
  if (said === undefined) parent.hasCode = true
  else if (value !== '') parent.children.push({ kind: 'text', value, isPlain: false, parent, start, end })
}

/** `sending ? 'Sending…' : 'Send'` between braces: both texts, one of which is shown. */
const EITHER = /^[{\s]*[^?{}'"]+\?\s*(['"])((?:(?!\1)[^\\\n])*)\1\s*:\s*(['"])((?:(?!\3)[^\\\n])*)\3[}\s]*$/

export function addEither(parent: PageElement, text: string, place: SourceRange): boolean {
  const [whole, , one, , other] = EITHER.exec(text.slice(place.start, place.end)) ?? []
  if (whole === undefined) return false
  const code = elementAt('#code', place, parent)
  parent.children.push(code)
  addSaid(code, one, place)
  addSaid(code, other, place)
  return true
}

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
  of(key: string, namespace?: string): string | undefined
}
