import type { Dress, View } from '../../idea.js'
import { above, besides, type Element, elementsIn } from '../../markup/tree.js'
import { plain } from '../../uses.js'
import { isBlock, isComponent, openingOf, partIn, partName, VOICES } from './blocks.js'
import { dressOf, shownBy } from './dress.js'

/** How a block looks: by its own markup, by the component of the same file, or by the part's own file. `null` where that is not known. */
export function lookOfBlock(view: View, outer: Element): Dress | null {
  const block = partIn(outer)
  const dress = lookOfPart(view, block)
  if (block === outer || dress === null) return dress
  // What is around a part is seen where that has a background, and takes away space where it is told to.
  const shells = [...above(block)].slice(0, [...above(block)].indexOf(outer) + 1).map(dressOf)
  const ground = shells.find((one) => one.ground !== '')?.ground ?? dress.ground
  return { ...dress, ground, borrows: dress.borrows || shells.some((one) => one.borrows) }
}

function lookOfPart({ page, site }: View, block: Element): Dress | null {
  if (!isComponent(block)) return dressOf(block)
  const own = shownBy(page, block.tag)
  const dress = own === undefined ? (site?.parts[plain(block.tag)]?.dress ?? null) : dressOf(own)
  if (block.children.length === 0 || dress === null) return dress
  const given = dressOf(block)
  return { ...dress, heading: given.heading || dress.heading, leads: [...given.leads, ...dress.leads] }
}

/** What visitors see a block headed with, `''` where that is not known: what its component is called they never see. */
export const headingOf = (view: View, block: Element): string => lookOfBlock(view, block)?.heading ?? ''

/** Whether a block holds the title of its page, in its own markup or in its part's file. */
export const hasTitle = (view: View, block: Element): boolean =>
  block.name === 'h1' || dressOf(block).opens || lookOfBlock(view, block)?.opens === true

/** Where an opening ends that its own picture stands below, as a place in the row. */
export function withPicture(view: View, row: readonly Element[], opening: number): number {
  let end = opening
  for (let next = row[end + 1]; next !== undefined; next = row[end + 1]) {
    if (lookOfBlock(view, next)?.isPicture !== true || VOICES.test(partName(next))) break
    end += 1
  }
  return end
}

/**
 * Whether a block of a row can stand after another one: what comes together is not of one background that was parted before, and what has no space of its own does not
 * come to stand at what has a background. `last`: where the opening ends, whose picture reaches its edge.
 */
export function fits(
  view: View,
  row: readonly Element[],
  { at, after, last }: { at: number; after: number; last: number },
): boolean {
  const looks = row.map((one) => lookOfBlock(view, one))
  // What is counted keeps its order.
  if (looks.filter((one) => one?.isNumbered === true).length > 1) return false
  const order = [...row.keys()].filter((one) => one !== at)
  order.splice(order.indexOf(after) + 1, 0, at)
  for (const [place, index] of order.entries()) {
    const before = order[place - 1]
    if (before === undefined || before === index - 1 || looks[index]?.borrows !== true) continue
    if (before <= last || looks[before]?.ground !== '') return false
  }
  const now = pairsOf(looks)
  const then = pairsOf(order.map((index) => looks[index] ?? null))
  const alternates = now.painted === 0 && now.plain === 0 && looks.some((one) => (one?.ground ?? '') !== '')
  return then.painted <= now.painted && !(alternates && then.plain > 0)
}

/** Whether two backgrounds are the same, or one runs out into the other; how much shines through does not matter. */
export const isOneGround = (one: string, other: string): boolean => {
  const bare = (all: string): string[] => all.split(' ').map((colour) => colour.replace(/\/[\d[\]%.]+$/, ''))
  return one === other || bare(one).some((colour) => colour !== '' && bare(other).includes(colour))
}

/** How often two of one background stand together: of one that they have, and of none. */
function pairsOf(looks: readonly (Dress | null)[]): { painted: number; plain: number } {
  let painted = 0
  let plain = 0
  for (const [index, look] of looks.entries()) {
    const before = looks[index - 1]
    if (look === null || before == null || !isOneGround(look.ground, before.ground)) continue
    if (look.ground === '') plain += 1
    else painted += 1
  }
  return { painted, plain }
}

/** A row of blocks, and where in it the opening ends, its picture with it; -1 where that stands before the row. */
export interface Row {
  row: readonly Element[]
  parent: Element
  opening: number
}

/** The rows of a page that are nearly all blocks, `least` of them or more, and of which one is known to be the opening. */
export function* rowsIn(view: View, least: number, isStart: boolean): Generator<Row> {
  const seen = new Set<Element>()
  for (const element of elementsIn(view.page.root)) {
    const parent = element.parent
    if (parent === null || seen.has(parent) || !isBlock(element)) continue
    seen.add(parent)
    // What code shows or leaves out stays where it is.
    const row = besides(element).filter(({ tag }) => tag !== '#code')
    if (row.filter(isBlock).length < least || row.filter(isBlock).length < row.length - 3) continue
    const title = openingOf(row, parent, isStart, (one) => hasTitle(view, one))
    if (title !== null) yield { row, parent, opening: withPicture(view, row, title) }
  }
}
