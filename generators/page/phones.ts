import { above, attribute, elementsIn, type PageElement, type PageTree } from './tree.js'

/** `hidden md:flex`, `d-none d-lg-block`: hidden unless the screen is wide. */
const HIDDEN = /^(d-none|hidden)$/
const SHOWN_IF_WIDE =
  /^((sm|md|lg|xl|2xl|tablet|laptop|desktop):(?!hidden)|d-(sm|md|lg|xl|xxl)-(?!none))(block|flex|grid|inline|table|contents)/
/** Classes of Tailwind, Bootstrap 3, Vuetify, Foundation, Materialize, Bulma, UIkit, Quasar, or the site. */
const WIDE_ONLY =
  /^(max-(sm|md|lg|xl|\[\d{3,4}px\]):hidden|hidden-(xs|sm|md)(-only|-and-down)?|hide-on-(small-only|med-and-down)|show-for-(medium|large|xlarge)|hide-for-small(-only)?|is-hidden-(mobile|touch)|uk-visible@[sml]|gt-(xs|sm|md)|desktop-(only|nav|menu|header)|only-desktop|(hide|hidden)-(on-)?(mobile|phones?)|mobile-hidden)$/
/** The same in properties of Chakra and MUI. */
const HIDES_BY_PROPERTY =
  /\bdisplay\b["']?\s*[=:]\s*\{+\s*(?:(?:base|xs)\s*:\s*)?["']none|\bdisplay=\{\[\s*["']none|^hideBelow=/
const WIDE =
  '(?:\\$?[\\w.?]*\\b)?(?:(?:is)?(?:Desktop|desktop)|is(?:Large|Wide)\\w*|(?:sm|md|lg|xl)AndUp|is(?:Md|Lg|Xl)Up|screen\\.gt\\.\\w+)(?:\\.value)?\\b'
const NARROW =
  '(?:\\$?[\\w.?]*\\b)?(?:(?:is)?(?:Mobile|mobile|Phone)|isSmall\\w*|(?:xs|sm|md)AndDown|is(?:Sm|Md)Down|screen\\.(?:xs|lt\\.\\w+))(?:\\.value)?\\b'
/** A condition that only wide screens fulfil, and one that only narrow ones do. */
const IF_WIDE = new RegExp(`(?<![!\\w])${WIDE}|!\\s*\\(?${NARROW}`)
const IF_NARROW = new RegExp(`(?<![!\\w.$])${NARROW}`)
const OTHERWISE = /(:|\{:else\})\s*\(?\s*$/
const FOR_WIDE = /^desktop|desktop$/i
/** `HeaderMd/index.tsx` beside files for other widths. */
const FOR_ONE_WIDTH = /[a-z](Md|Lg|Xl|Tablet)(\/index)?\.\w+$/

function isForWideByItself(element: PageElement, { text }: PageTree): boolean {
  const given = attribute(element, 'class')
  const written = given === undefined ? '' : (given.value ?? text.slice(given.start, given.end))
  const classes = written.split(/[\s"'`,{}()]+/)
  if (classes.some((one) => WIDE_ONLY.test(one))) return true
  if (classes.some((one) => HIDDEN.test(one)) && classes.some((one) => SHOWN_IF_WIDE.test(one))) return true
  if (FOR_WIDE.test(element.name)) return true
  return element.attributes.some(({ start, end }) => {
    const code = text.slice(start, end)
    return HIDES_BY_PROPERTY.test(code) || (/^v-(if|show)=/.test(code) && isIfWide(code))
  })
}

const isIfWide = (code: string): boolean => !code.includes('||') && IF_WIDE.test(code)

/** Whether code shows its content on wide screens alone: `{isDesktop && <Menu />}`. */
function isCodeForWide(code: PageElement, shown: PageElement, { text }: PageTree): boolean {
  const before = text.slice(code.start, shown.start)
  return OTHERWISE.test(before) ? IF_NARROW.test(before) && !before.includes('||') : isIfWide(before)
}

/** Whether phones show an element, as far as its own file tells. */
export function isOnPhones(element: PageElement, page: PageTree): boolean {
  let shown = element
  for (const one of [element, ...above(element)]) {
    if (one.tag === '#code' ? isCodeForWide(one, shown, page) : isForWideByItself(one, page)) return false
    shown = one
  }
  return true
}

const plain = (name: string): string => name.replace(/[^\p{L}\d]/gu, '').toLowerCase()
const nameOf = (path: string): string => plain(/([^/]+?)(?:\/index)?\.\w+$/.exec(path)?.[1] ?? path)

/** The places at which the pages of a site use each other, and whether phones show them. */
export class PhoneUses {
  readonly #uses = new Map<string, { path: string; isOnPhones: boolean }[]>()

  add(page: PageTree): void {
    for (const one of elementsIn(page.root)) {
      if (!/^[A-Z]|-/.test(one.tag)) continue
      const name = plain(one.tag)
      const uses = this.#uses.get(name) ?? []
      this.#uses.set(name, [...uses, { path: page.path, isOnPhones: isOnPhones(one, page) }])
    }
  }

  /** Whether phones show a file: not if all that use it show it on wide screens alone. */
  isOnPhones(path: string, seen: readonly string[] = []): boolean {
    const name = nameOf(path)
    const uses = (this.#uses.get(name) ?? []).filter((one) => !seen.includes(one.path))
    if (FOR_WIDE.test(name) || FOR_ONE_WIDTH.test(path)) return false
    return (
      uses.length === 0 || uses.some((one) => one.isOnPhones && this.isOnPhones(one.path, [...seen, path]))
    )
  }
}
