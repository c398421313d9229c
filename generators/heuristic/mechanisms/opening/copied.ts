import {
  childOf,
  listOf,
  programOf,
  type SourceNode,
  syntaxOf,
  textOf,
} from '../../../../variants/script/syntax.js'
import type { CopiedTitle } from '../../idea.js'
import { importsOf } from '../../imports.js'
import { type Element, elementsIn, type Page, wordsIn } from '../../markup/tree.js'
import { languageOf } from '../../words/language.js'

/** Where a page takes its title from: a file, what it exports, and the names that lead to the text. */
export interface TitleTaken {
  from: string
  exported: string
  names: string[]
}

const ALONE = /^\s*\{\{?\s*([a-zA-Z_]\w*(?:\.\w+){1,3})\s*\}?\}\s*$/
const LONGEST_COPY = 60_000

/** The title of a page that is one name of an object alone, with that name. */
export function titleByName({ root, text }: Page): { title: Element; inner: string; names: string[] } | null {
  const [title, ...more] = elementsIn(root).filter(({ name }) => name === 'h1')
  if (title === undefined || more.length > 0 || wordsIn(title) !== '') return null
  const own = text.slice(title.start, title.end)
  const inner = own.slice(own.indexOf('>', lastOf(title)) + 1, own.lastIndexOf('</'))
  const found = ALONE.exec(inner)?.[1]
  return found === undefined ? null : { title, inner, names: found.split('.') }
}

/** The end of what stands in the opening tag, from its start. */
const lastOf = ({ start, tag, attributes }: Element): number =>
  attributes.reduce((end, one) => Math.max(end, one.end), start + 1 + tag.length) - start

/** From which object of another file a page takes its title; `null` for a title that it has itself, or that code works out. */
export function titleTakenBy(page: Page): TitleTaken | null {
  const [first, ...rest] = titleByName(page)?.names ?? []
  if (first === undefined) return null
  // A shorter name for a part of the object.
  const short = new RegExp(
    `\\bconst\\s+${first}\\s*=\\s*([a-zA-Z_]\\w*(?:\\.\\w+)*);?[ \\t]*(?:\\r?\\n|$)`,
  ).exec(page.text)?.[1]
  const names = short === undefined ? [first, ...rest] : [...short.split('.'), ...rest]
  for (const { from, names: there, as = [] } of importsOf(page.text).takes) {
    const at = as.indexOf(names[0] ?? '')
    const exported = there?.[at]
    if (at >= 0 && exported !== undefined) return { from, exported, names: names.slice(1) }
  }
  return null
}

/** What the other file has there, where that is plain: `export const copy = { home: { title: '…' } }`. */
export function copiedTitleIn(
  path: string,
  text: string,
  { exported, names }: TitleTaken,
): CopiedTitle | null {
  if (text.length > LONGEST_COPY || exported === 'default') return null
  let program: SourceNode
  try {
    program = programOf(text, syntaxOf(path))
  } catch {
    return null
  }
  let node = constantOf(program, exported)
  let holder: SourceNode | undefined
  for (const name of names) {
    holder = unwrapped(node)
    node = propertyOf(holder, name)
  }
  const says = node?.type === 'StringLiteral' ? textOf(node, 'value') : undefined
  if (says === undefined || holder === undefined) return null
  const beside = listOf(holder, 'properties').flatMap((one) => {
    const value = childOf(one, 'value')
    const other = value?.type === 'StringLiteral' ? textOf(value, 'value') : undefined
    return other === undefined || other === says ? [] : [other]
  })
  return { says, beside, language: languageOf([says, ...beside].join(' '), null, null), path }
}

function constantOf(program: SourceNode, name: string): SourceNode | undefined {
  for (const statement of listOf(program, 'body')) {
    const declaration =
      statement.type === 'ExportNamedDeclaration' ? childOf(statement, 'declaration') : undefined
    if (textOf(declaration, 'kind') !== 'const') continue
    for (const one of listOf(declaration, 'declarations'))
      if (textOf(childOf(one, 'id'), 'name') === name) return childOf(one, 'init')
  }
  return undefined
}

const propertyOf = (object: SourceNode | undefined, name: string): SourceNode | undefined => {
  const found = listOf(object, 'properties').filter((one) => textOf(childOf(one, 'key'), 'name') === name)
  return found.length === 1 ? childOf(found[0], 'value') : undefined
}

const unwrapped = (node: SourceNode | undefined): SourceNode | undefined =>
  node?.type === 'TSAsExpression' || node?.type === 'TSSatisfiesExpression'
    ? unwrapped(childOf(node, 'expression'))
    : node
