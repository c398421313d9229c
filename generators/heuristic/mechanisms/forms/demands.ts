import { childOf, childrenOf, listOf, type SourceNode, textOf } from '../../../../variants/script/syntax.js'
import type { Change } from '../../edits.js'
import { type Element, elementAt, isWithin, type Page } from '../../markup/tree.js'
import { scriptOf } from '../../script.js'
import { boundTo } from './sending.js'
import { callsOf } from './unread.js'

/** What a page's own code has to say otherwise so that a field may stay empty. */
export interface Demands {
  changes: Change[]
  /** it insists on the field now */
  isDemanded: boolean
}

/** What holds no values of fields, though it has properties of their names. */
const NO_VALUES =
  /err|touch|dirty|warn|invalid|schema|pattern|regex|rule|label|message|placeholder|style|class|icon|ref\b|^(s|t|m|css|texts?|i18n|strings|content|copy|dict)$|\$t\b/i
const CONSTANT = /^[A-Z][A-Z\d_]*$/
/** What keeps, shows or hands on what it is given, whatever that is. */
const TAKES_ANY =
  /(^|\.)(append|set|set[A-Z]\w*|push|log|encodeURIComponent|track\w*|String|Boolean|update\w*|change|handle\w*Change|on\w*Change)$/
/** What a value is asked for in a way that leaves an empty one empty. */
const STAYS_EMPTY = /^(trim|replace|replaceAll|toString|toLowerCase|slice|substring|normalize)$/
/** Checks of all fields that stand in other files. */
const CHECKS_ALL =
  /schema$|^validate(Form|Contact|Fields|All|Inputs?|Data)?$|validator$|rules$|^use\w*validat/i

/** How a value is tested: there is one, there is none, or it looks like one. */
type Test = 'there' | 'empty' | 'formed' | 'malformed'

interface Tree {
  text: string
  parents: ReadonlyMap<SourceNode, SourceNode>
  /** names that stand for the value itself */
  own: Set<string>
  keys: ReadonlySet<string>
}

/**
 * Follows what a field holds through the page's code: each test that an empty value fails is written so that it passes, and what a filled one has to look like stays as
 * it is. `null` where some code looks at the value in a way that is not understood, or where the checks stand in other files.
 */
export function demandsOn(page: Page, field: Element): Demands | null {
  const script = scriptOf(page)
  if (isTestedByMarkup(page, field)) return null
  if (script === null) return { changes: [], isDemanded: false }
  const keys = new Set(callsOf(page, field).filter((one) => /^[\w$-]+$/.test(one)))
  const bound = boundTo(page, field)
  const parents = new Map<SourceNode, SourceNode>()
  const nodes: SourceNode[] = []
  const walk = (node: SourceNode): void => {
    nodes.push(node)
    for (const { node: child } of childrenOf(node)) {
      parents.set(child, node)
      walk(child)
    }
  }
  walk(script.program)
  if (nodes.some(bringsChecks)) return null
  const own = new Set(
    bound !== null && /^[\w$]+$/.test(bound.replace(/\.value$/, '')) ? [bound.replace(/\.value$/, '')] : [],
  )
  const tree: Tree = { text: script.text, parents, own, keys }
  takeNames(nodes, tree)
  const found: Found = { changes: [], isDemanded: false }
  for (const node of nodes) {
    if (isNamedInChecks(node, tree)) return null
    const told =
      (isWithin(node, field) ? ofRegistered(node, tree) : ofSchema(node, tree)) ?? ofValue(node, tree)
    if (told === null) continue
    if (told === 'unknown') return null
    found.changes.push(...told.changes)
    found.isDemanded ||= told.isDemanded
  }
  const places = [...found.changes].sort((a, b) => a.start - b.start || a.end - b.end)
  const overlap = places.some((one, at) => one.start < (places[at - 1]?.end ?? 0))
  return overlap ? null : found
}

/** Whether markup of Vue or Svelte works something out of the value beside its field. */
function isTestedByMarkup(page: Page, field: Element): boolean {
  const bound = boundTo(page, field)
  if (bound === null || page.dialect === 'jsx' || page.dialect === 'html') return false
  const markup = page.text.slice(0, field.start) + page.text.slice(field.end)
  const own = bound.replace(/[.$]/g, '\\$&')
  return new RegExp(`(?<![\\w.])${own}(?![\\w])`).test(markup.replace(/<script\b[\s\S]*?<\/script>/gi, ''))
}

type Found = Demands
const NOTHING: Found = { changes: [], isDemanded: false }

/** An import of what checks whole forms. */
const bringsChecks = (node: SourceNode): boolean =>
  node.type === 'ImportSpecifier' && CHECKS_ALL.test(textOf(childOf(node, 'local'), 'name') ?? '')

/** What goes through fields by their names, or through all values, may insist on any of them. */
function isNamedInChecks(node: SourceNode, tree: Tree): boolean {
  const parent = tree.parents.get(node)
  if (node.type === 'StringLiteral' && tree.keys.has(textOf(node, 'value') ?? ''))
    return (
      parent?.type === 'SwitchCase' ||
      (parent?.type === 'BinaryExpression' && /^[!=]==?$/.test(String(parent.operator))) ||
      (parent?.type === 'ArrayExpression' && !isPathOf(parent, tree))
    )
  if (node.type !== 'CallExpression') return false
  const [first] = listOf(node, 'arguments')
  return (
    /^Object\.(values|entries)$/.test(said(tree, childOf(node, 'callee'))) &&
    first !== undefined &&
    !NO_VALUES.test(said(tree, first).split('.').at(-1) ?? '')
  )
}

/** `path: ['phone']` says where an error is shown. */
const isPathOf = (list: SourceNode, { parents }: Tree): boolean => {
  const property = parents.get(list)
  return property?.type === 'ObjectProperty' && textOf(childOf(property, 'key'), 'name') === 'path'
}

const said = ({ text }: Tree, node: SourceNode | undefined): string =>
  node === undefined ? '' : text.slice(node.start, node.end)

/** `const { phone } = form` and `const phone = data.get('phone')`: names that the value has besides. */
function takeNames(nodes: readonly SourceNode[], tree: Tree): void {
  for (const node of nodes) {
    if (node.type !== 'ObjectPattern') continue
    for (const property of listOf(node, 'properties')) {
      const value = childOf(property, 'value')
      const name = textOf(value?.type === 'AssignmentPattern' ? childOf(value, 'left') : value, 'name')
      const key = textOf(childOf(property, 'key'), 'name') ?? ''
      if (property.type === 'ObjectProperty' && tree.keys.has(key) && name !== undefined) tree.own.add(name)
    }
  }
  for (let before = -1; before < tree.own.size; ) {
    before = tree.own.size
    for (const node of nodes) {
      if (!isValue(node, tree)) continue
      const top = outermost(node, tree)
      const made = tree.parents.get(top)
      const name = made?.type === 'VariableDeclarator' ? textOf(childOf(made, 'id'), 'name') : undefined
      if (made !== undefined && childOf(made, 'init') === top && name !== undefined) tree.own.add(name)
    }
  }
}

function isValue(node: SourceNode, tree: Tree): boolean {
  const { parents, own, keys } = tree
  const parent = parents.get(node)
  if (node.type === 'Identifier') {
    if (!own.has(textOf(node, 'name') ?? '') || parent === undefined) return false
    if (
      /^TS|^JSX(?!ExpressionContainer|SpreadAttribute)|^Import|Pattern$|Function|^LabeledStatement/.test(
        parent.type,
      )
    )
      return false
    if (/MemberExpression$/.test(parent.type)) return childOf(parent, 'object') === node
    if (/^Object(Property|Method)$/.test(parent.type))
      return childOf(parent, 'value') === node && parents.get(parent)?.type !== 'ObjectPattern'
    return parent.type !== 'VariableDeclarator' || childOf(parent, 'init') === node
  }
  if (/MemberExpression$/.test(node.type)) {
    const property = childOf(node, 'property')
    const name = node.computed === true ? textOf(property, 'value') : textOf(property, 'name')
    const holder =
      said(tree, childOf(node, 'object'))
        .split(/[.?!]+/)
        .at(-1) ?? ''
    return name !== undefined && keys.has(name) && !NO_VALUES.test(holder) && !CONSTANT.test(holder)
  }
  if (node.type !== 'CallExpression') return false
  const callee = childOf(node, 'callee')
  const [first] = listOf(node, 'arguments')
  const asked = textOf(first, 'value') ?? ''
  const how = textOf(childOf(callee, 'property'), 'name') ?? ''
  if (/^(get|getAll|getElementById|watch|getValues)$/.test(how)) return keys.has(asked)
  return (
    /^querySelector$/.test(how) &&
    [...keys].some((key) => asked.includes(`#${key}`) || new RegExp(`name=["']?${key}["'\\]]`).test(asked))
  )
}

const IS_WRAPPED = /^(Parenthesized|TSAs|TSNonNull|TSSatisfies|Chain|Await)Expression$/

/** The largest expression that is empty exactly where the value is. */
function outermost(node: SourceNode, tree: Tree): SourceNode {
  const { parents } = tree
  let top = node
  for (;;) {
    const parent = parents.get(top)
    if (parent === undefined) return top
    if (IS_WRAPPED.test(parent.type)) top = parent
    else if (/MemberExpression$/.test(parent.type) && childOf(parent, 'object') === top) {
      const name = textOf(childOf(parent, 'property'), 'name') ?? ''
      const call = parents.get(parent)
      if (/^(value|current)$/.test(name)) top = parent
      else if (STAYS_EMPTY.test(name) && call !== undefined && childOf(call, 'callee') === parent) top = call
      else return top
    } else if (
      /^(Optional)?CallExpression$/.test(parent.type) &&
      /^(String|unref|toValue)$/.test(said(tree, childOf(parent, 'callee')))
    )
      top = parent
    else if (
      parent.type === 'LogicalExpression' &&
      parent.operator !== '&&' &&
      childOf(parent, 'left') === top &&
      EMPTY.test(said(tree, childOf(parent, 'right')))
    )
      top = parent
    else return top
  }
}

const EMPTY = /^(''|""|``|null|undefined)$/

/** What one place that reads the value comes to. */
function ofValue(node: SourceNode, tree: Tree): Found | 'unknown' | null {
  const { parents } = tree
  if (!isValue(node, tree)) return null
  const top = outermost(node, tree)
  const parent = parents.get(top)
  if (parent === undefined) return 'unknown'
  switch (parent.type) {
    case 'VariableDeclarator':
      return childOf(parent, 'id')?.type === 'Identifier' ? NOTHING : 'unknown'
    case 'ObjectProperty':
      return isChecked(parent, tree) ? 'unknown' : NOTHING
    case 'TemplateLiteral':
      return NOTHING
    case 'JSXExpressionContainer':
      return NOTHING
    case 'AssignmentExpression':
      return childOf(parent, 'left') === top || /MemberExpression$/.test(childOf(parent, 'left')?.type ?? '')
        ? NOTHING
        : 'unknown'
    case 'ArrayExpression': {
      const call = parents.get(parent)
      return call !== undefined && /^(React\.)?use[A-Z]/.test(said(tree, childOf(call, 'callee')))
        ? NOTHING
        : 'unknown'
    }
    case 'IfStatement':
    case 'ConditionalExpression':
      return childOf(parent, 'test') === top || parent.type === 'ConditionalExpression' ? NOTHING : 'unknown'
    case 'UnaryExpression':
      return parent.operator === '!' ? tested(parent, 'empty', top, tree) : 'unknown'
    case 'LogicalExpression':
      return tested(top, 'there', top, tree)
    case 'BinaryExpression':
      return ofComparison(parent, top, tree)
    case 'CallExpression':
    case 'OptionalCallExpression':
      return ofArgument(parent, top, tree)
    default:
      return /MemberExpression$/.test(parent.type) ? ofMember(parent, top, tree) : 'unknown'
  }
}

/** Whether an object goes right to what checks it. */
function isChecked(property: SourceNode, tree: Tree): boolean {
  const { parents } = tree
  const object = parents.get(property)
  const call = object === undefined ? undefined : parents.get(object)
  if (call === undefined || !/CallExpression$/.test(call.type)) return false
  return /valid|check|verify/i.test(said(tree, childOf(call, 'callee')))
}

function ofComparison(comparison: SourceNode, top: SourceNode, tree: Tree): Found | 'unknown' {
  const operator = String(comparison.operator)
  if (operator === '+') return NOTHING
  const other = said(tree, childOf(comparison, childOf(comparison, 'left') === top ? 'right' : 'left'))
  if (!EMPTY.test(other)) return 'unknown'
  if (/^===?$/.test(operator)) return tested(comparison, 'empty', top, tree)
  return /^!==?$/.test(operator) ? tested(comparison, 'there', top, tree) : 'unknown'
}

function ofArgument(call: SourceNode, top: SourceNode, tree: Tree): Found | 'unknown' {
  const callee = said(tree, childOf(call, 'callee'))
  if (callee === 'Boolean') return tested(call, 'there', top, tree)
  if (/\.test$/.test(callee)) return ofForm(call, top, tree)
  return TAKES_ANY.test(callee) ? NOTHING : 'unknown'
}

function ofMember(member: SourceNode, top: SourceNode, tree: Tree): Found | 'unknown' {
  const { parents } = tree
  const name = textOf(childOf(member, 'property'), 'name') ?? ''
  const parent = parents.get(member)
  if (parent === undefined) return 'unknown'
  if (/^(match|startsWith|endsWith)$/.test(name) && childOf(parent, 'callee') === member)
    return ofForm(parent, top, tree)
  if (name !== 'length') return 'unknown'
  if (parent.type === 'UnaryExpression' && parent.operator === '!') return tested(parent, 'empty', top, tree)
  if (parent.type === 'LogicalExpression') return tested(member, 'there', top, tree)
  if (parent.type !== 'BinaryExpression' || childOf(parent, 'left') !== member) return 'unknown'
  const operator = String(parent.operator)
  const other = said(tree, childOf(parent, 'right'))
  const isNone = other === '0'
  if (isNone && /^(>|!==?)$/.test(operator)) return tested(parent, 'there', top, tree)
  if (isNone && /^===?$/.test(operator)) return tested(parent, 'empty', top, tree)
  if (/^(<|<=|!==?)$/.test(operator)) return tested(parent, 'malformed', top, tree)
  return /^(>=|===?)$/.test(operator)
    ? tested(parent, 'formed', top, tree)
    : operator === '>'
      ? NOTHING
      : 'unknown'
}

function ofForm(call: SourceNode, top: SourceNode, tree: Tree): Found | 'unknown' {
  const parent = tree.parents.get(call)
  return parent?.type === 'UnaryExpression' && parent.operator === '!'
    ? tested(parent, 'malformed', top, tree)
    : tested(call, 'formed', top, tree)
}

/** A test of the value, as it has to be where an empty one is right. */
function tested(node: SourceNode, test: Test, value: SourceNode, tree: Tree): Found | 'unknown' {
  const { parents } = tree
  let whole = node
  let parent = parents.get(whole)
  while (parent !== undefined && IS_WRAPPED.test(parent.type)) {
    whole = parent
    parent = parents.get(whole)
  }
  if (parent === undefined) return 'unknown'
  if (parent.type === 'UnaryExpression' && parent.operator === '!') {
    const turned: Record<Test, Test> = {
      there: 'empty',
      empty: 'there',
      formed: 'malformed',
      malformed: 'formed',
    }
    return tested(parent, turned[test], value, tree)
  }
  const isGuarded = guards(whole, value, tree)
  if (test === 'malformed')
    return isGuarded
      ? NOTHING
      : { changes: [edit(whole, `${plainly(value, tree)} && ${said(tree, whole)}`, tree)], isDemanded: true }
  if (test === 'formed')
    return isGuarded
      ? NOTHING
      : {
          changes: [edit(whole, `(!${negatable(value, tree)} || ${said(tree, whole)})`, tree)],
          isDemanded: true,
        }
  if (test === 'empty') {
    if (parent.type === 'LogicalExpression' && parent.operator === '||') return without(whole, parent, tree)
    const isTest =
      childOf(parent, 'test') === whole || (parent.type === 'LogicalExpression' && parent.operator === '&&')
    const isShown = parent.type === 'JSXExpressionContainer'
    return isTest || isShown ? { changes: [edit(whole, 'false', tree)], isDemanded: true } : 'unknown'
  }
  if (parent.type !== 'LogicalExpression')
    return /^(IfStatement|ConditionalExpression|VariableDeclarator|ObjectProperty|JSXExpressionContainer)$/.test(
      parent.type,
    )
      ? NOTHING
      : 'unknown'
  // What is given something else where it is empty, or shows or tests what is there, does without.
  if (parent.operator !== '&&') return childOf(parent, 'left') === whole ? NOTHING : 'unknown'
  if (isFirst(whole, value, tree)) return NOTHING
  return without(whole, parent, tree)
}

/** What is asked whether there is a value: it, and not what else is made of it. */
const plainly = (value: SourceNode, tree: Tree): string =>
  said(tree, value).replace(/\??\.(?:replace|replaceAll|normalize|toLowerCase|slice)\(.*$/s, '')

const negatable = (value: SourceNode, tree: Tree): string =>
  /^(Logical|Binary|Conditional|Await)/.test(value.type) ? `(${said(tree, value)})` : plainly(value, tree)

/** The operands of a chain of one operator, and the whole of it. */
function chainOf(parent: SourceNode, tree: Tree): { whole: SourceNode; operands: SourceNode[] } {
  const { operator } = parent
  const isLink = (node: SourceNode | undefined): node is SourceNode =>
    node?.type === 'LogicalExpression' && node.operator === operator
  let whole = parent
  for (let above = tree.parents.get(whole); isLink(above); above = tree.parents.get(whole)) whole = above
  const operands: SourceNode[] = []
  const gather = (node: SourceNode | undefined): void => {
    if (isLink(node)) {
      gather(childOf(node, 'left'))
      gather(childOf(node, 'right'))
    } else if (node !== undefined) operands.push(node)
  }
  gather(whole)
  return { whole, operands }
}

/** Whether what comes later in its chain is about the value, or is shown: it is asked whether there is one, and nobody insists. */
function isFirst(node: SourceNode, value: SourceNode, tree: Tree): boolean {
  const parent = tree.parents.get(node)
  if (parent === undefined) return false
  const { operands } = chainOf(parent, tree)
  const later = operands.slice(operands.indexOf(node) + 1)
  const named = new RegExp(`(?<![\\w$])${said(tree, value).replace(/[^\w]/g, '\\$&')}`)
  return later.some((one) => /^JSX|Parenthesized/.test(one.type) || named.test(said(tree, one)))
}

/** Whether a test is made only where there is a value: right of one that asks for it. */
function guards(node: SourceNode, value: SourceNode, tree: Tree): boolean {
  const parent = tree.parents.get(node)
  if (parent?.type !== 'LogicalExpression' || parent.operator !== '&&') return false
  const { operands } = chainOf(parent, tree)
  const before = operands.slice(0, operands.indexOf(node))
  const bare = (text: string): string => text.replace(/^\(|\)$|\.trim\(\)|\.value$|\.length( > 0)?$|\?/g, '')
  return before.some((one) => bare(said(tree, one)) === bare(said(tree, value)))
}

/** A chain without one of its operands. */
function without(operand: SourceNode, parent: SourceNode, tree: Tree): Found | 'unknown' {
  const { whole, operands } = chainOf(parent, tree)
  const at = operands.indexOf(operand)
  const [before, after] = [operands[at - 1], operands[at + 1]]
  if (at === -1) return 'unknown'
  const place =
    before !== undefined
      ? { start: before.end, end: operand.end }
      : after !== undefined
        ? { start: operand.start, end: after.start }
        : null
  // Parentheses between them are no part of an operand.
  if (place === null || /[()]/.test(tree.text.slice(place.start, place.end).replace(said(tree, operand), '')))
    return 'unknown'
  return { changes: [{ ...place, text: '', unit: unitOf(whole, tree) }], isDemanded: true }
}

const edit = (node: SourceNode, text: string, tree: Tree): Change => ({
  start: node.start,
  end: node.end,
  text,
  unit: unitOf(node, tree),
})

const IS_EXPRESSION =
  /^(Identifier|ParenthesizedExpression|(Binary|Logical|Unary|Conditional|Member|OptionalMember|Call|Await|Object)Expression)$/

/** An expression, inside of those around it. */
function unitOf(node: SourceNode, { parents }: Tree): Element {
  const chain: SourceNode[] = [node]
  for (
    let above = parents.get(node);
    above !== undefined && IS_EXPRESSION.test(above.type);
    above = parents.get(above)
  )
    chain.push(above)
  // The largest comes twice: what is outermost of all is never written anew.
  const outer = [...chain, ...chain.slice(-1)].reduceRight<Element | null>(
    (parent, place) => elementAt('#data', { start: place.start, end: place.end }, parent),
    null,
  )
  return outer ?? elementAt('#data', node, null)
}

/** `{ phone: z.string().min(6) }`: the same, or nothing. */
function ofSchema(node: SourceNode, tree: Tree): Found | 'unknown' | null {
  const value = node.type === 'ObjectProperty' ? childOf(node, 'value') : undefined
  const key = childOf(node, 'key')
  if (value === undefined || !tree.keys.has(textOf(key, 'name') ?? textOf(key, 'value') ?? '')) return null
  const rule = said(tree, value)
  if (/^(yup|joi|v|string|number|vine)\b\s*[.(]/i.test(rule)) return 'unknown'
  if (/^\{[^{}]*\b(required|validate|rules)\b/.test(rule)) return 'unknown'
  const library = /^(z|zod)\b/.exec(rule)?.[1]
  if (library === undefined) return null
  if (/literal\(\s*(''|"")\s*\)/.test(rule)) return NOTHING
  const isFree = /\.(optional|nullish|default)\(/.test(rule)
  const isFormed = /\.(min|regex|length|nonempty|email|refine|superRefine|check)\(/.test(rule)
  if (!isFormed) return /^\w+\s*\.string\(/.test(rule) ? NOTHING : 'unknown'
  return { changes: [edit(value, `${rule}.or(${library}.literal(''))`, tree)], isDemanded: !isFree }
}

/** `register('phone', { required: true })`: the same, without that. */
function ofRegistered(node: SourceNode, tree: Tree): Found | 'unknown' | null {
  if (node.type !== 'CallExpression' || !/(^|\.)register$/.test(said(tree, childOf(node, 'callee'))))
    return null
  const [, rules] = listOf(node, 'arguments')
  if (rules === undefined) return NOTHING
  if (rules.type !== 'ObjectExpression') return 'unknown'
  const properties = listOf(rules, 'properties')
  const nameOf = (one: SourceNode): string => textOf(childOf(one, 'key'), 'name') ?? ''
  if (properties.some((one) => one.type !== 'ObjectProperty' || nameOf(one) === 'validate')) return 'unknown'
  const at = properties.findIndex((one) => nameOf(one) === 'required')
  const own = properties[at]
  if (own === undefined || said(tree, childOf(own, 'value')) === 'false') return NOTHING
  const next = properties[at + 1]
  const before = properties[at - 1]
  const place =
    next !== undefined
      ? { start: own.start, end: next.start }
      : before !== undefined
        ? { start: before.end, end: own.end }
        : { start: rules.start + 1, end: rules.end - 1 }
  return { changes: [{ ...place, text: '', unit: unitOf(rules, tree) }], isDemanded: true }
}
