import { type Blank, type Range, relationTo, remote, thinned } from '../thin.js'
import { childrenOf, listOf, type SourceNode } from './syntax.js'

/** Shorter nodes are read as fast as blanks. */
const WORTH = 24

/** By list: what holds the place of a node that is left out. Lists that are not here are left whole. */
const LISTS: Readonly<Record<string, string>> = {
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
 * The code without what is beside the edits. Statements next to one that is edited stay, since a line's end may join or part them; imports and exports
 * stay, since they make the code a module; texts between tags are short anyway.
 */
export function thinCode(source: string, program: SourceNode, edits: readonly Range[]): string {
  const blanks: Blank[] = []
  const thin = (node: SourceNode): void => {
    for (const [list, instead] of Object.entries(LISTS)) {
      const [type, field = ''] = list.split('.')
      if (type !== node.type) continue
      for (const { type, start, end } of remote(edits, listOf(node, field)))
        if (end - start >= WORTH && !/^(Import|Export|JSXText$)/.test(type))
          blanks.push({ start, end, instead })
    }
    for (const { node: child } of childrenOf(node)) if (relationTo(edits, child) === 'holds') thin(child)
  }
  thin(program)
  return thinned(source, blanks)
}
