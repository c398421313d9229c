/**
 * The markup that static pages carry, and that the helper reads. This is the whole agreement between the two:
 *
 * 1. **An element with alternatives.** The control stays where it is and says the experiment and its splits, the control's first. Each
 *    alternative is a template directly before it, in the order of the variants; a variant without one shows the control:
 *
 *        <template data-svc="hero" data-svc-variant="b"><h1>Try it</h1></template>
 *        <h1 data-svc="hero:control=50,b=50">Welcome</h1>
 *
 *    White space may stand between the templates and between the last one and the control; none is added inside a template. Whoever decides
 *    removes the unit's templates, and the white space that follows each of them, so that the tree is the one of a page written by hand. For
 *    the control that is all, but for its attribute `data-svc`, which goes too. For another variant the template's content takes the control's
 *    place; it may be empty, one node or several, text included.
 *    When the control is in the tree, all its templates are: going back from it over siblings, first the nearest template, and only templates
 *    whose `data-svc` is the experiment's key and white space in front of such a template's successor belong to it.
 *
 * 2. **An attribute with alternatives.** The element says the experiment in the same way and has no templates. Alternatives are further
 *    attributes, named `data-svc.<variant>.<attribute>`, the attribute's name in lower case; there may be several:
 *
 *        <input placeholder="Mail" data-svc="hero:control=50,b=50" data-svc.b.placeholder="Your mail">
 *
 *    Whoever decides sets, for each attribute that begins with `data-svc.<chosen>.`, the attribute named by the rest to the same value, and then
 *    removes `data-svc` and everything that begins with `data-svc.`.
 *
 * An element has one `data-svc`: an experiment never touches another one's element. Such elements may be anywhere, `html`, `head` and `body`
 * included (the latter three with attributes alone), and may be there before the helper's script runs: it decides what it finds, and then what
 * is added. Nothing here is inside `svg`, `math` or a template of the page's own, but for attributes, which may be on elements of an `svg`.
 */
import type { SplitExperiment } from '../port.js'

export const MARK = 'data-svc'
export const MARK_VARIANT = 'data-svc-variant'

/** The value of `data-svc` on the control: `hero:control=50,b=50`. */
export function markOf(experiment: SplitExperiment): string {
  return `${experiment.key}:${experiment.variants.map((arm) => `${arm.key}=${arm.trafficSplit}`).join(',')}`
}

/** `data-svc.b.placeholder` */
export function attributeMark(variant: string, attribute: string): string {
  return `${MARK}.${variant}.${attribute.toLowerCase()}`
}
