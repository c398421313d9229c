import { type MaskedRange, maskUnrelated, relationTo, type TextRange, unrelatedNodes } from '../mask.js'
import { KIND, type VueNode } from './component.js'

/**
 * Masks the template's elements beside the edits. Elements bound by `v-if` chains or slots stay: the compiler
 * decides whether an edit may come between them.
 */
export function maskTemplate(text: string, template: VueNode | null, edits: readonly TextRange[]): string {
  const masks: MaskedRange[] = []
  const maskBelow = (node: VueNode): void => {
    const children = (node.children ?? []).filter(({ type }) => type === KIND.element)
    const placed = children.map((child) => ({ child, ...rangeOf(child) }))
    const far = new Set(unrelatedNodes(edits, placed).map(({ child }) => child))
    for (const { child, ...range } of placed) {
      if (far.has(child) && !isBound(child)) masks.push(range)
      else if (relationTo(edits, range) !== 'inside') maskBelow(child)
    }
  }
  if (template !== null) maskBelow(template)
  return maskUnrelated(text, masks)
}

const rangeOf = ({ loc }: VueNode): TextRange => ({ start: loc.start.offset, end: loc.end.offset })

const isBound = ({ tag, props = [] }: VueNode): boolean =>
  tag === 'template' ||
  tag === 'slot' ||
  props.some(({ type, name }) => type === KIND.directive && /^(if|else|else-if|slot)$/.test(name))
