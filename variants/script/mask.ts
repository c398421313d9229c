import { type MaskedRange, maskUnrelated, relationTo, type TextRange, unrelatedNodes } from '../mask.js'
import { childrenOf, listOf, type SourceNode } from './syntax.js'

/** Shorter nodes parse as fast as spaces do. */
const MIN_MASKED_LENGTH = 24

/** The lists whose nodes can be masked, each with the placeholder that keeps the list valid. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  'Program.body': '',
  'BlockStatement.body': '',
  'JSXElement.children': '',
  'JSXFragment.children': '',
  'ArrayExpression.elements': '',
  'ObjectExpression.properties': 'a',
  'CallExpression.arguments': '0',
  'NewExpression.arguments': '0',
}

/**
 * Masks the nodes beside the edits. Neighbours of an edited statement stay, because a line end may join or
 * part them. Imports and exports stay, because they make the code a module. JSX text stays, because it is
 * short.
 */
export function maskCode(source: string, program: SourceNode, edits: readonly TextRange[]): string {
  const masks: MaskedRange[] = []
  const maskBelow = (node: SourceNode): void => {
    for (const [list, placeholder] of Object.entries(PLACEHOLDERS)) {
      const [type, field = ''] = list.split('.')
      if (type !== node.type) continue
      for (const { type, start, end } of unrelatedNodes(edits, listOf(node, field)))
        if (end - start >= MIN_MASKED_LENGTH && !/^(Import|Export|JSXText$)/.test(type))
          masks.push({ start, end, placeholder })
    }
    for (const { node: child } of childrenOf(node)) if (relationTo(edits, child) === 'holds') maskBelow(child)
  }
  maskBelow(program)
  return maskUnrelated(source, masks)
}
