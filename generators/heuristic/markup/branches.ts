import { above, besides, type Element, elementsIn, type Page } from './tree.js'

/** One of the places that code shows or leaves out, with what it says before the first of them. */
interface Branch {
  key: string
  asks: string
}

/** Which of what its code shows an element is: blocks of Svelte hold several elements each, and one of JSX is one. */
function countIn({ text, dialect }: Page, code: Element, element: Element): number {
  const row = besides(element)
  if (dialect !== 'svelte') return row.indexOf(element)
  let before = text.slice(code.start, row[0]?.start ?? code.end)
  for (const [at, one] of row.entries()) {
    if (one.tag === '#code') before += text.slice(one.start, one.start + 3)
    if (one === element) break
    before += text.slice(one.end, row[at + 1]?.start ?? one.end)
  }
  return before.split('{:').length - 1
}

/** All that decides whether an element is shown, from the innermost out. Pieces of JSX that stand in nothing are what a component gives in one case or another. */
function branchesOf(page: Page, element: Element): Branch[] {
  const found: Branch[] = []
  for (const one of [element, ...above(element)]) {
    const { parent } = one
    if (parent === null) break
    const asks = page.text.slice(parent.start, besides(one)[0]?.start ?? parent.start)
    // A condition of Vue is written on the element itself.
    const written = page.dialect === 'vue' ? page.text.slice(parent.start, one.children[0]?.start) : asks
    if (parent.tag === '#code')
      found.push({ key: `${parent.start} ${countIn(page, parent, one)}`, asks: written })
    else if (page.dialect === 'jsx' && parent.parent === null) found.push({ key: `${one.start}`, asks: '' })
  }
  return found
}

/**
 * Whether what stands beside a place is shown to those, and only to those, who see another element.
 * @param mayAsk conditions of that element's own that make no difference, by their code
 */
export function isShownAlong(page: Page, place: Element, other: Element, mayAsk: RegExp): boolean {
  const own = branchesOf(page, place)
  const others = branchesOf(page, other)
  return (
    own.every(({ key }) => others.some((one) => one.key === key)) &&
    others.every(({ key, asks }) => own.some((one) => one.key === key) || mayAsk.test(asks))
  )
}

const COMPONENT = /\b(?:function|const|let|class)\s+([A-Z]\w*[a-z]\w*)/g

/** An element as the piece of the file shows it that a place stands in: itself, or the tags of the component of the same file that has it. */
export function asShownIn(page: Page, place: Element, element: Element, steps = 3): Element[] {
  const outermost = (one: Element): Element => [one, ...above(one)].at(-2) ?? one
  const [piece, own] = [outermost(place), outermost(element)]
  if (page.dialect !== 'jsx' || own === piece || steps === 0) return [element]
  const name = [...page.text.slice(0, own.start).matchAll(COMPONENT)].at(-1)?.[1]
  return elementsIn(page.root)
    .filter(({ tag }) => tag === name)
    .flatMap((one) => asShownIn(page, place, one, steps - 1))
}
