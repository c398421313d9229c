import type { Idea, View } from '../../idea.js'
import { above, attribute, type Element, elementsIn, given, type Page } from '../../markup/tree.js'
import { anchorOf, isLink, labelOf } from '../../surface.js'

const LITERAL = /["'`](tel:\+?[\d\s().\-/]{6,20}|https:\/\/wa\.me\/\d{8,15}(?:\?[^"'`${}]*)?)["'`]/g
/** A number that code puts together is another one, perhaps. */
const UNTOLD =
  /tel:\$?\{|["'`]tel:["'`]\s*\+|wa\.me\/\$?\{|["'`](https:\/\/)?(wa\.me|api\.whatsapp\.com)\/["'`]\s*\+/

/** `''` stands for a number that is not told. */
export function dialsOf({ text }: Pick<Page, 'text'>): string[] {
  if (!/tel:|wa\.me/.test(text)) return []
  const found = new Set([...text.matchAll(LITERAL)].map(([, href = '']) => href.replace(/\?.*$/, '')))
  return [...(UNTOLD.test(text) ? [''] : []), ...found].slice(0, 6)
}

/** However a number is written, its end is the same. */
const endOf = (href: string): string => href.replace(/\D/g, '').slice(-8)

const BY_PHONE =
  /\bby (tele)?phone\b|^(call|phone|ring) (us|now|me)\b|\bcall (us|now)$|\banrufen$|\btelefonisch\b|\bper telefon\b|\bpar téléphone\b|^appele[rz]\b|\bpor teléfono\b|^(llamar|llam[aá](nos|me)?|llámenos)\b/iu
const BY_WHATSAPP = /\bwhats ?app\b/i
/** Something else is offered too, or it is a talk at an agreed hour. */
const MORE =
  /e-?mail|\bmail\b|formul|\bform\b|\b(or|ou|oder|o|and|et|und|y)\b|\b(schedule|book|plan) an?\b|share|partager|teilen|compartir/iu

const INSIDE = /^(\/?#[\w-]*|\/[\w/-]*|(\.\/)?[\w-]+\.html?(#[\w-]*)?)$/

const asksFor = (label: string): 'tel:' | 'https://wa.me' | null => {
  if (MORE.test(label) || label.split(' ').length > 7) return null
  if (BY_WHATSAPP.test(label)) return 'https://wa.me'
  return BY_PHONE.test(label) ? 'tel:' : null
}

const callsOf = ({ root }: Page) =>
  elementsIn(root).flatMap((element) => {
    const own = isLink(element) ? (attribute(element, 'href') ?? attribute(element, 'to')) : undefined
    const label = own?.own != null && INSIDE.test(own.value ?? '') ? labelOf(element) : null
    const by = label === null ? null : asksFor(label.value)
    if (own?.own == null || label === null || by === null) return []
    // An address of the program's own, by its router, can be no number.
    return given(element, 'href') === null
      ? []
      : [{ element, label: label.value, href: own.value ?? '', place: own.own, by }]
  })

const isFoot = ({ path }: Page, element: Element): boolean =>
  /footer/i.test(path) || [...above(element)].some(({ name }) => name === 'footer')

/** Whether something on a page says that it calls, and leads somewhere else. */
export const mayDial = ({ page }: View): boolean => callsOf(page).length > 0

/**
 * What says that one calls or writes by WhatsApp and leads to a place on the site instead, where the site has one number: it leads to that. Writes no text.
 * Not where the site has several numbers or code gives one, nor where the label offers something else too.
 */
export function* dialsWhereItSays({ page, site }: View): Generator<Idea> {
  for (const { element, label, href, place, by } of callsOf(page)) {
    const known = site?.dials.filter((one) => one.href === '' || one.href.startsWith(by)) ?? []
    const [first] = known
    if (first === undefined || known.some((one) => endOf(one.href) !== endOf(first.href))) continue
    const number = first.href.replace(/\s/g, '')
    if (endOf(number).length < 6) continue
    yield {
      mechanism: 'friction',
      pattern: 'dials-where-it-says',
      name: `Lead “${label}” to ${number} where it says`,
      anchor: anchorOf(element, `${label} ${href}`),
      topics: ['call to action', 'button', 'phone', 'contact', label],
      arms: [
        {
          name: `“${label}” dials`.slice(0, 80),
          changes: [{ ...place, text: number, unit: element }],
          says: null,
        },
      ],
      audience: `visitors who want to ${by === 'tel:' ? 'call' : 'write by WhatsApp'}`,
      change: `leading “${label}” to ${number}, the one number of the site (${first.path}), and not to ${href}`,
      because: 'who has decided to call gets the number, and need not look for it at another place',
      goal: 'click',
      when: `a link to ${number} is pressed, in all variants`,
      // What leads nowhere is mended, and not tried; and few come down to a footer.
      effect: /^\/?#?$/.test(href) || isFoot(page, element) ? 2 : 4,
      evidence: [{ path: first.path, says: first.href }],
    }
    return
  }
}
