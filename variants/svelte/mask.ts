import { type MaskedRange, maskUnrelated, relationTo, type TextRange, unrelatedNodes } from '../mask.js'
import { listOf, type SourceNode, textOf } from '../script/syntax.js'
import { below } from './component.js'

/**
 * Masks the elements beside the edits, except slot content and elements with `animate:`, which the compiler
 * checks.
 */
export function maskMarkup(text: string, fragment: SourceNode, edits: readonly TextRange[]): string {
  const masks: MaskedRange[] = []
  const maskBelow = (node: SourceNode): void => {
    const children = below(node).filter(({ type }) => type !== 'Text' && type !== 'Comment')
    const far = new Set(unrelatedNodes(edits, children))
    for (const child of children) {
      if (far.has(child) && isPlain(child)) masks.push({ start: child.start, end: child.end })
      else if (relationTo(edits, child) !== 'inside') maskBelow(child)
    }
  }
  maskBelow(fragment)
  return maskUnrelated(text, masks)
}

const isPlain = (node: SourceNode): boolean =>
  node.type === 'RegularElement' &&
  listOf(node, 'attributes').every(
    (attribute) => attribute.type !== 'AnimateDirective' && textOf(attribute, 'name') !== 'slot',
  )
