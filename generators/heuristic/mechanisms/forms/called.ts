import type { Idea } from '../../idea.js'
import { above, elementsIn, isInCode } from '../../markup/tree.js'
import { type Form, isTrap } from '../../surface.js'

export const goalOfForm = ({ purpose }: Form): Idea['goal'] =>
  purpose === null ? 'send' : purpose === 'checkout' ? 'purchase' : purpose

/** As a sentence has it: what asks for a message is a contact form only where it says so. */
export const theForm = ({ purpose, heading }: Form, path: string): string => {
  const isNamed = purpose !== null && (purpose !== 'contact' || /contact|kontakt/i.test(`${heading} ${path}`))
  if (isNamed) return `the ${purpose} form`
  // What is called out says that it has been sent.
  return heading === '' || heading.length > 40 || /[!?…]/.test(heading)
    ? 'this form'
    : `the “${heading}” form`
}

/** What else is chosen in a form: parts that are no plain field, by their names. */
const CHOSEN = /(select|picker|combobox|autocomplete)$/

/** How many fields a form shows: those that are typed in, and lists to choose from that are parts of their own. */
export function countOf({ element, fields }: Form): number {
  const inside = (one: (typeof fields)[number]): boolean =>
    [one, ...above(one)].some((outer) => fields.includes(outer) || (outer !== one && CHOSEN.test(outer.name)))
  const others = elementsIn(element).filter(
    (one) => CHOSEN.test(one.name) && !inside(one) && !isTrap(one) && !isInCode(one),
  )
  return fields.length + others.length
}
