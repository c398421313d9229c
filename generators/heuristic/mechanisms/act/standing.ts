import { onlyPlaceOf } from '../../../../variants/text.js'
import type { Copy, KnownWay, Need } from '../../idea.js'
import type { Addition } from '../../locales.js'
import { isGrid, isUtility } from '../../markup/kits.js'
import { above, type Element, given, type Page, wordsIn } from '../../markup/tree.js'
import { classWord, styled } from '../../surface.js'
import { needOf } from './ways.js'

export const COLUMN = /^(?!.*:(flex-row|grid-cols))(?=.*(^|\s)(flex-col|flex-column)(\s|$))/

export const classesOf = (element: Element): string => given(element, 'class') ?? ''

/** Whether a place is in what somebody says, or in a remark set apart by a line at its edge: a button in it would be taken for a part of that. */
export const isInQuote = (place: Element): boolean =>
  [place, ...above(place)].some(
    (one) =>
      /^(blockquote|q|cite)$/i.test(one.tag) ||
      /(^|\s)(border-[lrse](-\d)?|blockquote|quote|callout)(?=\s|$)/.test(classesOf(one)),
  ) || /^["“„«»]/.test(wordsIn(place))

/** The button with the space that it needs, in the manner of the site; `null` where that cannot be told, or it would not be seen. */
export function standing(
  page: Page,
  place: Element,
  way: Pick<KnownWay, 'path' | 'followsText'>,
  { source, hasSpace }: Pick<Copy, 'source' | 'hasSpace'>,
): string | null {
  const around = [place, ...above(place)].map(classesOf).join(' ').split(/\s+/)
  const colours = source.match(/(?<=[\s"'])bg-[\w[\]#()-]+/g) ?? []
  if (colours.some((one) => around.includes(one))) return null
  const holder = place.parent === null ? '' : classesOf(place.parent)
  const isColumn = COLUMN.test(holder)
  if (hasSpace && !isColumn) return source
  const below = /(?:^|\s)(mb-(?:[4-9]|1\d|\[\S+\]))(?=\s|$)/.exec(classesOf(place))?.[1]
  if (below !== undefined) return `<div ${classWord(page)}="${below}">${source}</div>`
  if (/(^|\s)(gap|gap-y|space-y)-\S+/.test(holder)) return isColumn ? `<div>${source}</div>` : source
  if (isUtility(page)) return `<div ${classWord(page)}="mt-8">${source}</div>`
  if (isGrid(page)) return `<div ${classWord(page)}="mt-4">${source}</div>`
  return way.followsText && way.path === page.path ? source : null
}

/** What needs space above where looks are written in stylesheets, which are not read. */
export const spaced = (page: Page, styles: Readonly<Record<string, string>>, source: string): string =>
  `<div${styled(page, styles)}>${source}</div>`

/** What is put in below a line: of more than one line each is indented as that is, with the button in what holds it. */
export function indented(gap: string, source: string): string {
  if (gap === '') return ` ${source}`
  const [, open = '', inner = source, close = ''] =
    /^(<div(?:\s+\w+=(?:"[^"]*"|\{\{[^{}]*\}\}))*>)([\s\S]*)(<\/div>)$/.exec(source) ?? []
  const lines = inner.split(/\r?\n/)
  if (lines.length === 1) return gap + source
  const rest = lines.slice(1).filter((line) => line.trim() !== '')
  const least = Math.min(...rest.map((line) => /^\s*/.exec(line)?.[0].length ?? 0))
  const deeper = open === '' ? gap : `${gap}  `
  const own = [lines[0] ?? '', ...rest.map((line) => line.slice(least))].join(deeper)
  return open === '' ? gap + own : gap + open + deeper + own + gap + close
}

/** What the file takes from others for the button, where it has not yet, beside what it takes first; `null` where that cannot be written. */
export function takenFor(
  { text, path, dialect }: Page,
  way: KnownWay,
  needs: readonly Need[],
): Addition[] | null {
  if (way.path === path) return []
  const missing = needs.flatMap((need) => {
    const from = fromHere(need.from, way.path, path)
    return needOf(text, need.name)?.from === from ? [] : [{ ...need, from }]
  })
  if (missing.length === 0) return []
  const beside = /^import\s[^;'"]*from\s*(["'])[^"'\n]+\1(;?)[ \t]*$/m.exec(text)
  const [find = '', quote = '"', end = ''] = beside ?? []
  const isTaken = missing.some(({ name }) =>
    new RegExp(`\\b(const|let|function|class|import|type)\\b[^\\n]*\\b${name}\\b`).test(text),
  )
  if (dialect !== 'jsx' || beside === null || isTaken || typeof onlyPlaceOf(text, find) !== 'number')
    return null
  const lines = missing.map(
    ({ name, from, isDefault }) =>
      `\nimport ${isDefault ? name : `{ ${name} }`} from ${quote}${from}${quote}${end}`,
  )
  return [{ path, find, added: lines.join('') }]
}

/** The path by which one file takes what another one takes by its own. */
function fromHere(from: string, there: string, here: string): string {
  if (!/^\.{1,2}\//.test(from)) return from
  const parts = there.split('/').slice(0, -1)
  for (const part of from.split('/'))
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  const own = here.split('/').slice(0, -1)
  while (own.length > 0 && own[0] === parts[0]) {
    own.shift()
    parts.shift()
  }
  return `${own.length === 0 ? './' : '../'.repeat(own.length)}${parts.join('/')}`
}

/** What the other file says: its words and where they lead. */
export const evidenceOf = ({ path, label, href }: KnownWay): { path: string; says: string }[] => [
  { path, says: label },
  // Code names a place without the mark that addresses have.
  { path, says: href.replace(/^#/, '') },
]
