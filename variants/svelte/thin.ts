import { listOf, type SourceNode, textOf } from '../script/syntax.js'
import { type Blank, type Range, relationTo, remote, thinned } from '../thin.js'
import { below } from './component.js'

/** The file without the elements that are beside the edits. What fills a slot stays, and what the compiler wants to be alone in its block. */
export function thinMarkup(text: string, fragment: SourceNode, edits: readonly Range[]): string {
  const blanks: Blank[] = []
  const thin = (node: SourceNode): void => {
    const children = below(node).filter(({ type }) => type !== 'Text' && type !== 'Comment')
    const far = new Set(remote(edits, children))
    for (const child of children) {
      if (far.has(child) && isPlain(child)) blanks.push({ start: child.start, end: child.end })
      else if (relationTo(edits, child) !== 'inside') thin(child)
    }
  }
  thin(fragment)
  return thinned(text, blanks)
}

const isPlain = (node: SourceNode): boolean =>
  node.type === 'RegularElement' &&
  listOf(node, 'attributes').every(
    (attribute) => attribute.type !== 'AnimateDirective' && textOf(attribute, 'name') !== 'slot',
  )
