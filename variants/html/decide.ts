import { defaultTreeAdapter } from 'parse5'
import { isBlank } from '../text.js'
import { MARK, MARK_VARIANT } from './markup.js'
import {
  attributeOf,
  type ChildNode,
  type Document,
  descend,
  type Element,
  isElement,
  isTemplate,
  isText,
} from './tree.js'

/**
 * Does in a tree what the helper does in a page for a visitor of this variant. Used to prove that each
 * visitor gets the page as edited by hand. Decides only this experiment's units.
 */
export function decide(page: Document, experiment: string, variant: string): void {
  const marked: Element[] = []
  for (const node of descend(page))
    if (isElement(node) && !isTemplate(node) && attributeOf(node, MARK)?.startsWith(`${experiment}:`))
      marked.push(node)
  for (const element of marked) {
    const chosen = takeTemplates(element, experiment, variant)
    const parent = element.parentNode
    if (chosen !== undefined && parent !== null) {
      for (const child of [...chosen]) {
        defaultTreeAdapter.detachNode(child)
        defaultTreeAdapter.insertBefore(parent, child, element)
      }
      defaultTreeAdapter.detachNode(element)
    } else decideAttributes(element, variant)
  }
}

function takeTemplates(control: Element, experiment: string, variant: string): ChildNode[] | undefined {
  const siblings = control.parentNode?.childNodes ?? []
  let chosen: ChildNode[] | undefined
  const gone: ChildNode[] = []
  let blank: ChildNode[] = []
  for (let i = siblings.indexOf(control) - 1; i >= 0; i--) {
    const sibling = siblings[i]
    if (sibling === undefined) break
    if (isText(sibling) && isBlank(sibling.value)) {
      blank.push(sibling)
      continue
    }
    if (!isElement(sibling) || !isTemplate(sibling) || attributeOf(sibling, MARK) !== experiment) break
    if (attributeOf(sibling, MARK_VARIANT) === variant) chosen = sibling.content.childNodes
    gone.push(sibling, ...blank)
    blank = []
  }
  for (const node of gone) defaultTreeAdapter.detachNode(node)
  return chosen
}

function decideAttributes(element: Element, variant: string): void {
  const prefix = `${MARK}.${variant}.`
  for (const { name, value } of [...element.attrs]) {
    if (!name.startsWith(prefix)) continue
    const target = element.attrs.find((one) => one.name === name.slice(prefix.length))
    if (target === undefined) element.attrs.push({ name: name.slice(prefix.length), value })
    else target.value = value
  }
  element.attrs = element.attrs.filter(({ name }) => name !== MARK && !name.startsWith(`${MARK}.`))
}
