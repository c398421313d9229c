import { type Blank, type Range, relationTo, remote, thinned } from '../thin.js'
import { KIND, type VueNode } from './component.js'

/**
 * The file without the elements of its template that are beside the edits. Those that belong together by their directives stay, as does what fills a
 * slot: whether an edit comes between them is for the compiler to say.
 */
export function thinTemplate(text: string, template: VueNode | null, edits: readonly Range[]): string {
  const blanks: Blank[] = []
  const thin = (node: VueNode): void => {
    const children = (node.children ?? []).filter(({ type }) => type === KIND.element)
    const placed = children.map((child) => ({ child, ...rangeOf(child) }))
    const far = new Set(remote(edits, placed).map(({ child }) => child))
    for (const { child, ...range } of placed) {
      if (far.has(child) && !isBound(child)) blanks.push(range)
      else if (relationTo(edits, range) !== 'inside') thin(child)
    }
  }
  if (template !== null) thin(template)
  return thinned(text, blanks)
}

const rangeOf = ({ loc }: VueNode): Range => ({ start: loc.start.offset, end: loc.end.offset })

const isBound = ({ tag, props = [] }: VueNode): boolean =>
  tag === 'template' ||
  tag === 'slot' ||
  props.some(({ type, name }) => type === KIND.directive && /^(if|else|else-if|slot)$/.test(name))
