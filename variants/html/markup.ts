/**
 * The markup of static pages: the contract between the code that writes pages and the helper that reads them.
 *
 * 1. **An element with alternatives.** The control stays in its place and carries the experiment and its
 *    splits, the control's first. Each alternative is a template directly before it, in the order of the
 *    variants. A variant without a template shows the control:
 *
 *        <template data-svc="hero" data-svc-variant="b"><h1>Try it</h1></template>
 *        <h1 data-svc="hero:control=50,b=50">Welcome</h1>
 *
 * White space may follow each template; none is added inside. The helper removes the unit's templates with
 * the white space after them, and the control's `data-svc`, so that the tree is that of a page written by
 * hand. For another variant, the template's content replaces the control: nothing, one node or several, texts
 * included. The parser adds all templates before the control. Going back over its siblings, only templates
 * with the experiment's key and the white space between them belong to the unit.
 *
 * 2. **An attribute with alternatives.** The element carries the experiment in the same way and has no
 *    templates. Alternatives are attributes named `data-svc.<variant>.<attribute>`, in lower case:
 *
 *        <input placeholder="Mail" data-svc="hero:control=50,b=50" data-svc.b.placeholder="Your mail">
 *
 * The helper copies each attribute that begins with `data-svc.<chosen>.` to the attribute named by the rest,
 * and then removes `data-svc` and everything that begins with `data-svc.`.
 *
 * An element has at most one `data-svc`. Such elements may be anywhere; `html`, `head` and `body` can have
 * attributes only. They may exist before the helper runs: it decides them first, and then each one that is
 * added. None is inside `svg`, `math` or the page's own templates, except attributes on elements of an `svg`.
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
