import { UnsupportedEditError } from '../../../../variants/dialect.js'
import {
  childOf,
  everyNode,
  listOf,
  programOf,
  type SourceNode,
  type Syntax,
  syntaxOf,
  textOf,
} from '../../../../variants/script/syntax.js'
import { escaped } from '../../../words.js'
import type { Change } from '../../edits.js'
import { blanked, type Element, elementAt, isWithin, type Page, type Place } from '../../markup/tree.js'
import { withoutRemarks } from '../choice/state.js'

/** Two values that a page keeps, as its fields name them: `password` and `confirm`, or `form.password` and `form.confirm`. */
export interface Pair {
  first: string
  second: string
}

const MAX_READS = 6
/** What is written anew for one of them is read at a glance. */
const LONGEST = 300

/** What holds what is said of a field, under the field's name. */
const SAYS_OF_FIELDS = /err|touch|valid|warn|dirty|show|visible|schema|label|message|ref|^e$|^\$?v\$?$/i
/** What is asked for a value by its name. */
const GIVES = /^(get|getAll|has|append|set|watch|getValues|getElementById|querySelector)$/

/**
 * How code goes on without a field that is compared with another one: whoever reads the second value reads the first, so that the two are always the same, and what is sent
 * stays right. `null` where not every reader is known, where all values are handed on as a whole, where the page compares nothing, or where of two ways on
 * one would always be taken.
 * @param gone what is taken out of the page
 */
export function readInstead(page: Page, pair: Pair, gone: readonly Place[]): Change[] | null {
  const code = blanked(withoutRemarks(page), gone)
  const parts = partsOf(page, code)
  if (page.dialect !== 'jsx' && isReadByMarkup(code, parts, pair)) return null
  const reads: Read[] = []
  for (const { start, end, syntax } of parts) {
    const own = readsIn(page.text.slice(start, end), code.slice(start, end), syntax, pair)
    if (own === null) return null
    reads.push(...own.map((one) => ({ ...one, chain: one.chain.map((place) => movedBy(place, start)) })))
  }
  const told = reads.filter(({ isGuarded }) => !isGuarded)
  if (
    !reads.some(({ isCompared }) => isCompared) ||
    reads.some(({ isOther }) => isOther) ||
    told.some(({ same, isOnlyWhere }) => same !== null && decidesNothing(same.comes, isOnlyWhere)) ||
    told.length > MAX_READS
  )
    return null
  const changes = told.flatMap((read) => changeOf(read, pair))
  // What goes with a larger piece is not written anew by itself.
  return changes.filter(
    (one) => !changes.some((other) => other !== one && isWithin(one, other) && !isWithin(other, one)),
  )
}

/** Whether something would be asked for nothing, as it is always so, or never; what is done only where the two differ is never done, and that is all. */
const decidesNothing = (comes: string, isOnlyWhere: boolean): boolean =>
  comes === 'true' || (comes === 'false' && !isOnlyWhere)

interface Read {
  /** from what is read to the largest expression around it */
  chain: readonly Place[]
  isCompared: boolean
  /** what comes of the comparison of the two where they are the same, and where in the chain it stands; `null` where they are not compared as they are */
  same: { at: number; comes: string } | null
  /** it is what a statement asks that does nothing otherwise */
  isOnlyWhere: boolean
  /** it is asked only where there is a second value, which there is not any more */
  isGuarded: boolean
  /** it is compared with something else */
  isOther: boolean
}

const movedBy = ({ start, end }: Place, by: number): Place => ({ start: start + by, end: end + by })

/** What is always the same need not be compared; elsewhere the first value is read for the second. */
function changeOf({ chain, same }: Read, { first }: Pair): Change[] {
  const around = chain.slice(same?.at ?? 0)
  const [own] = around
  if (own === undefined) return []
  // The largest comes twice: what is outermost of all is never written anew.
  const unit = [...around, ...around.slice(-1)].reduceRight<Element | null>(
    (parent, place) => elementAt('#data', place, parent),
    null,
  )
  return unit === null ? [] : [{ ...own, text: same?.comes ?? first, unit, longest: LONGEST }]
}

/** The code of a page, in its one or several parts. */
function partsOf({ dialect, path }: Page, code: string): (Place & { syntax: Syntax })[] {
  if (dialect === 'jsx') return [{ start: 0, end: code.length, syntax: syntaxOf(path) }]
  return [...code.matchAll(/(<script\b([^>]*)>)([\s\S]*?)<\/script>/gi)].map(
    ({ index, 1: open = '', 2: attributes = '', 3: inner = '' }) => ({
      start: index + open.length,
      end: index + open.length + inner.length,
      syntax: { typescript: /\blang=["']?ts/.test(attributes), jsx: false },
    }),
  )
}

/** Whether markup says anything of the second value that would still hold without its field; what it says only where there is one does not. */
function isReadByMarkup(code: string, parts: readonly Place[], { second }: Pair): boolean {
  let markup = code
  for (const { start, end } of parts)
    markup = markup.slice(0, start) + ' '.repeat(end - start) + markup.slice(end)
  const name = escaped(second)
  const guarded = new RegExp(`(?:["{(]|#if)\\s*${name}(?:\\.length(?:\\s*>\\s*0)?)?\\s*&&[^"}]*(?=["}])`, 'g')
  const owner = second.includes('.') ? `|[:{"'=]\\s*${escaped(second.split('.')[0] ?? '')}\\s*["'},]` : ''
  return new RegExp(`(?<![\\w.$'-])${name}(?![\\w'-])${owner}`).test(markup.replace(guarded, ''))
}

/** Every place of a program that reads the second value; `null` where one is not understood. */
function readsIn(source: string, code: string, syntax: Syntax, { first, second }: Pair): Read[] | null {
  const [owner, name] = second.includes('.') ? second.split('.') : ['', second]
  if (name === undefined || owner === undefined || second.split('.').length > 2) return null
  if (!code.includes(name)) return []
  let program: SourceNode
  try {
    program = programOf(source, syntax)
  } catch (error) {
    if (error instanceof UnsupportedEditError) return null
    throw error
  }
  const parents = new Map<SourceNode, SourceNode>()
  for (const { node, parent } of everyNode(program)) if (parent !== null) parents.set(node, parent)
  const isThere = ({ start, end }: SourceNode): boolean => code.slice(start, end) === source.slice(start, end)
  const tree: Tree = { source, parents, owner, name }
  const reads: Read[] = []
  for (const node of parents.keys()) {
    const isNamed = textOf(node, 'name') === name && /Identifier$/.test(node.type)
    const isWhole = owner !== '' && node.type === 'Identifier' && textOf(node, 'name') === owner
    const isSaid = node.type === 'StringLiteral' && textOf(node, 'value') === name
    if ((!isNamed && !isWhole && !isSaid) || !isThere(node)) continue
    const role = isNamed ? roleOf(node, tree) : isWhole ? roleOfWhole(node, tree) : roleOfString(node, tree)
    if (role === 'unknown') return null
    if (role !== 'none') reads.push(readAt(role, tree, first, second))
  }
  return reads
}

interface Tree {
  source: string
  parents: ReadonlyMap<SourceNode, SourceNode>
  owner: string
  name: string
}

/** What an identifier is: nothing that matters, not to be told, or the expression that reads the value. */
type Role = 'none' | 'unknown' | SourceNode

function roleOf(node: SourceNode, tree: Tree): Role {
  const { source, parents, owner } = tree
  const parent = parents.get(node)
  if (parent === undefined) return 'unknown'
  if (/^TS|^JSX/.test(parent.type) && parent.type !== 'JSXExpressionContainer') return 'none'
  if (
    /MemberExpression$/.test(parent.type) &&
    childOf(parent, 'property') === node &&
    parent.computed !== true
  )
    return roleOfMember(parent, tree)
  if (parent.type === 'ObjectProperty' || parent.type === 'ObjectMethod') {
    if (parents.get(parent)?.type === 'ObjectPattern') return isDropped(parent, tree) ? 'none' : 'unknown'
    if (parent.shorthand === true) return 'unknown'
    if (childOf(parent, 'key') === node) return isKeptEmpty(parent, tree) ? 'none' : 'unknown'
  }
  if (owner !== '') return 'unknown'
  if (/^(VariableDeclarator|ArrayPattern)$/.test(parent.type) && childOf(parent, 'init') !== node)
    return 'none'
  if (parent.type === 'AssignmentExpression' && childOf(parent, 'left') === node) return 'none'
  if (parent.type === 'ArrayExpression') {
    const call = parents.get(parent)
    const callee = childOf(call, 'callee')
    return callee !== undefined && /^(React\.)?use[A-Z]/.test(source.slice(callee.start, callee.end))
      ? 'none'
      : 'unknown'
  }
  // A ref's value is set, or read as the first one's is.
  const setter = parents.get(parent)
  if (setter?.type === 'AssignmentExpression' && childOf(setter, 'left') === parent) return 'none'
  return node
}

function roleOfMember(member: SourceNode, { source, parents, owner }: Tree): Role {
  const object = childOf(member, 'object')
  const of = object === undefined ? '' : source.slice(object.start, object.end)
  const above = parents.get(member)
  if (above?.type === 'UnaryExpression' && above.operator === 'delete') return 'none'
  if (owner !== '' && (of === owner || of === `${owner}.value`))
    return above?.type === 'AssignmentExpression' && childOf(above, 'left') === member ? 'none' : member
  return SAYS_OF_FIELDS.test(of) ? 'none' : 'unknown'
}

/** A property of an object that says what is wrong with fields, or with what they begin. */
function isKeptEmpty(property: SourceNode, { owner }: Tree): boolean {
  const value = childOf(property, 'value')
  if (value === undefined) return false
  const isWords = /^(StringLiteral|TemplateLiteral|BooleanLiteral|NullLiteral|CallExpression)$/.test(
    value.type,
  )
  return owner === '' ? value.type !== 'Identifier' || !/pass/i.test(textOf(value, 'name') ?? '') : isWords
}

/** `const { confirm, ...rest } = form`: what is handed on goes without it. */
function isDropped(property: SourceNode, { parents, owner, source }: Tree): boolean {
  const pattern = parents.get(property)
  const made = pattern === undefined ? undefined : parents.get(pattern)
  const init = childOf(made, 'init')
  return (
    owner !== '' &&
    listOf(pattern, 'properties').some(({ type }) => type === 'RestElement') &&
    init !== undefined &&
    [owner, `${owner}.value`].includes(source.slice(init.start, init.end))
  )
}

/** The object that holds both values: its properties may be read, it may be copied to be set anew, or all but the second be handed on. */
function roleOfWhole(node: SourceNode, tree: Tree): Role {
  const { source, parents, name } = tree
  let holder = node
  let parent = parents.get(node)
  if (parent === undefined) return 'unknown'
  const isMember = (one: SourceNode, of: SourceNode): boolean =>
    /MemberExpression$/.test(one.type) && childOf(one, 'object') === of
  if (/MemberExpression$/.test(parent.type) && !isMember(parent, node)) return 'none'
  if (/^(VariableDeclarator|ArrayPattern)$/.test(parent.type) && childOf(parent, 'init') !== node)
    return 'none'
  if (/^TS|^ObjectProperty$/.test(parent.type) && childOf(parent, 'value') !== node) return 'none'
  const property = childOf(parent, 'property')
  if (isMember(parent, node) && textOf(property, 'name') === 'value') {
    holder = parent
    parent = parents.get(parent)
  }
  if (parent === undefined) return 'unknown'
  if (isMember(parent, holder)) return 'none'
  if (parent.type === 'AssignmentExpression' && childOf(parent, 'left') === holder) return 'none'
  if (parent.type === 'VariableDeclarator') {
    const pattern = childOf(parent, 'id')
    const names = listOf(pattern, 'properties')
    const drops = names.some((one) => textOf(childOf(one, 'key'), 'name') === name)
    const takesAll = names.some(({ type }) => type === 'RestElement')
    return pattern?.type === 'ObjectPattern' && (drops || !takesAll) ? 'none' : 'unknown'
  }
  if (parent.type === 'ArrayExpression') return 'none'
  // Copied into what is set anew.
  if (parent.type === 'SpreadElement') {
    for (let above = parents.get(parent); above !== undefined; above = parents.get(above)) {
      const callee = childOf(above, 'callee')
      if (above.type === 'AssignmentExpression') return 'none'
      if (callee !== undefined)
        return /^set[A-Z]/.test(source.slice(callee.start, callee.end)) ? 'none' : 'unknown'
    }
  }
  return 'unknown'
}

function roleOfString(node: SourceNode, { parents, source }: Tree): Role {
  const parent = parents.get(node)
  if (parent === undefined || /MemberExpression$/.test(parent.type)) return 'unknown'
  const callee = parent.type === 'CallExpression' ? childOf(parent, 'callee') : undefined
  const called = callee === undefined ? '' : source.slice(callee.start, callee.end)
  return GIVES.test(called.slice(called.lastIndexOf('.') + 1)) ? 'unknown' : 'none'
}

/** The conditions that are joined in one way. */
const joinedIn = (node: SourceNode, operator: unknown): SourceNode[] =>
  node.type === 'LogicalExpression' && node.operator === operator
    ? [childOf(node, 'left'), childOf(node, 'right')].flatMap((one) =>
        one === undefined ? [] : joinedIn(one, operator),
      )
    : [node]

/**
 * What is left of conditions that are joined, where the one at a place always comes to the same: what always holds adds nothing to the others. `null` where it is none of them, or
 * where the others compare the two as well.
 */
function leftOf(
  node: SourceNode,
  { place, comes, parent }: { place: Place | undefined; comes: string; parent: SourceNode | undefined },
  read: (one: SourceNode) => string | null,
): string | null {
  const { operator } = node
  const isWhole = parent?.type !== 'LogicalExpression' || parent.operator !== operator
  if (node.type !== 'LogicalExpression' || !/^(&&|\|\|)$/.test(String(operator)) || !isWhole) return null
  const all = joinedIn(node, operator)
  const others = all.filter((one) => one.start !== place?.start || one.end !== place.end)
  if (others.length === all.length || !/^(true|false)$/.test(comes)) return null
  if ((operator === '&&') !== (comes === 'true')) return comes
  const left = others.map(read)
  return left.includes(null) ? null : [...new Set(left)].join(` ${String(operator)} `)
}

/** What is left of a choice, where what it asks stands at a place and is always the same. */
function branchOf(node: SourceNode, place: Place | undefined, comes: string): SourceNode | undefined {
  const test = childOf(node, 'test')
  if (node.type !== 'ConditionalExpression' || test?.start !== place?.start || test?.end !== place?.end)
    return undefined
  return /^(?:true|false)$/.test(comes)
    ? childOf(node, comes === 'true' ? 'consequent' : 'alternate')
    : undefined
}

const IS_EXPRESSION =
  /^(Identifier|ParenthesizedExpression|(Binary|Logical|Unary|Conditional|Member|OptionalMember|Call|Await)Expression)$/

function readAt(node: SourceNode, { source, parents }: Tree, first: string, second: string): Read {
  const chain: Place[] = []
  const said = (one: SourceNode | undefined): string =>
    one === undefined ? '' : source.slice(one.start, one.end)
  const bare = (one: SourceNode | undefined): string => said(one).replace(/\.value$/, '')
  let isCompared = false
  let isGuarded = false
  let isOther = false
  let same: Read['same'] = null
  const isThere = new RegExp(`^\\(?${escaped(second)}(\\.value)?(\\.length(\\s*(>|!==?)\\s*0)?)?\\)?$`)
  const isRead = new RegExp(`(?<![\\w.$])${escaped(second)}(?![\\w$])`, 'g')
  const readFirst = (one: SourceNode): string | null => {
    const own = said(one).replace(isRead, first)
    return own === said(one) || !said(one).includes(first) ? own : null
  }
  const folded = (outer: SourceNode, known: NonNullable<Read['same']>): NonNullable<Read['same']> => {
    const place = chain[known.at]
    const at = chain.length - 1
    const joined = leftOf(outer, { place, comes: known.comes, parent: parents.get(outer) }, readFirst)
    if (joined !== null) return { at, comes: joined }
    const branch = branchOf(outer, place, known.comes)
    const own = branch === undefined ? null : readFirst(branch)
    if (own !== null) return { at, comes: own }
    return outer.type === 'ParenthesizedExpression' && known.at === at - 1 && /^[\w.!]+$/.test(known.comes)
      ? { at, comes: known.comes }
      : known
  }
  let one: SourceNode | undefined = node
  let [isOutside, isOnlyWhere] = [false, false]
  for (; one !== undefined; one = parents.get(one)) {
    if (!IS_EXPRESSION.test(one.type)) isOutside = true
    if (!isOutside) chain.push({ start: one.start, end: one.end })
    if (one.type === 'BinaryExpression' && /^[!=]==?$/.test(String(one.operator)) && !isOutside) {
      const sides = [childOf(one, 'left'), childOf(one, 'right')]
      if (sides.some((side) => bare(side) === first)) {
        isCompared = true
        if (sides.every((side) => [first, second].includes(bare(side))))
          same ??= { at: chain.length - 1, comes: String(String(one.operator).startsWith('=')) }
      } else if (!sides.some((side) => /^(["'`])\1$|^(null|undefined|0)$/.test(said(side)))) isOther = true
    }
    if (same !== null && !isOutside) same = folded(one, same)
    if (one.type === 'LogicalExpression' && one.operator === '&&') {
      let left: SourceNode | undefined = one
      while (left?.type === 'LogicalExpression' && left.operator === '&&') left = childOf(left, 'left')
      // Where the two have to be the same to go on, nobody could.
      isGuarded ||= isThere.test(said(left)) && !/[^!=]===?[^=]/.test(said(one))
    }
    if (/Statement$|Function|^Program$/.test(one.type)) {
      isOnlyWhere =
        one.type === 'IfStatement' &&
        childOf(one, 'alternate') === undefined &&
        childOf(one, 'test')?.end === chain.at(-1)?.end
      break
    }
  }
  return { chain, isCompared, same, isOnlyWhere, isGuarded, isOther }
}
