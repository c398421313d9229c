import { childOf, childrenOf, isNode, listOf, type SourceNode, textOf } from '../../variants/script/syntax.js'
import type { Place } from './markup/tree.js'

/** What code does with the values of a form, as far as its tree says it. */
export interface Flow {
  /** names by which it reads values; `{expression}` where code works the name out */
  reads: Set<string>
  /** where it takes or hands on all of them, whatever they are called */
  wholes: Place[]
  /** functions of other files that are given all of them, with the argument */
  passes: { name: string; index: number; place: Place }[]
  /** by what `const { a, ...rest } = values` leaves it: the name of the rest, and what is not in it */
  rests: { name: string; dropped: readonly string[] }[]
}

/** A form's data is asked by `get`, values are properties, and state holds values or is them. */
export type Kind = 'form' | 'values' | 'state'

interface Known {
  readonly kinds: Map<string, Kind>
  /** keys of schemas that leave out whatever they do not name */
  readonly schemas: ReadonlyMap<string, readonly string[]>
  readonly functions: ReadonlyMap<string, SourceNode>
  readonly imported: ReadonlySet<string>
  readonly entered: Set<SourceNode>
  readonly program: SourceNode
  readonly text: string
  readonly flow: Flow
}

const WRAPPERS =
  /^(Parenthesized|Await|TSAs|TSNonNull|TSSatisfies|TSTypeAssertion|TSType|Chain)(Expression|Assertion)?$/
const IS_REQUEST = /(^|\.)(_?req(uest)?|event|raw)$/
const ASKS = /^(get|getAll|has)$/
const OF_FORM_ALONE = /^(append|set|delete)$/
const PARSES = /^(safeParse|parse|parseAsync|safeParseAsync)$/
const GIVES_VALUES = /^(readBody|useBody|readValidatedBody|json|parseBody|text)$/

/**
 * Follows what a form sends through code: sources are requests by their usual names, `new FormData(…)`, and what `kinds` names.
 * @param roots the nodes to look at; functions of the same file that they call are entered
 */
export function flowOf(
  program: SourceNode,
  text: string,
  roots: readonly SourceNode[],
  kinds: ReadonlyMap<string, Kind> = new Map(),
): Flow {
  const flow: Flow = { reads: new Set(), wholes: [], passes: [], rests: [] }
  const known: Known = {
    kinds: new Map(kinds),
    schemas: schemasOf(program, text),
    functions: functionsOf(program),
    imported: importedBy(program),
    entered: new Set(),
    program,
    text,
    flow,
  }
  for (const root of roots) visit(root, known)
  return flow
}

/** Calls, in parts of code that are entered nowhere else, that are given some of these names; functions among what they are given do not count. */
export function isGivenTo(
  program: SourceNode,
  text: string,
  names: readonly string[],
  least: number,
): boolean {
  for (const node of allIn(program)) {
    const callee = childOf(node, 'callee')
    if (node.type !== 'CallExpression' || callee === undefined) continue
    if (GIVES_NOTHING_ON.test(text.slice(callee.start, callee.end))) continue
    const args = listOf(node, 'arguments')
    if (args.some((one) => allIn(one).some(isFunction))) continue
    const words = new Set(args.flatMap(({ start, end }) => text.slice(start, end).match(/[\w$]+/g) ?? []))
    if (new Set(names.filter((name) => words.has(name))).size >= least) return true
  }
  return false
}

/** Setters, checks, and what keeps values on the device. */
const GIVES_NOTHING_ON =
  /^(console\b|set[A-Z]|use[A-Z]|z\.|v\.|yup\b|localStorage|sessionStorage|JSON\b|String$|Number$|Boolean$|reactive$|ref$|\$state|\$derived|computed$|watch|t$|alert$|emit$|dispatch$)|schema|valid|error/i

/** The functions that a file declares, by name, also those that it exports as properties. */
export function functionsOf(program: SourceNode): Map<string, SourceNode> {
  const found = new Map<string, SourceNode>()
  for (const node of allIn(program)) {
    const own = textOf(childOf(node, 'id'), 'name')
    const init = childOf(node, 'init')
    if (node.type === 'FunctionDeclaration' && own !== undefined) found.set(own, node)
    else if (own !== undefined && init !== undefined && isFunction(init)) found.set(own, init)
  }
  return found
}

export const isFunction = ({ type }: SourceNode): boolean =>
  /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|ObjectMethod|ClassMethod)$/.test(type)

const programs = new WeakMap<SourceNode, readonly SourceNode[]>()

/** Every node below one, and itself first, in the order of the file. A program's are gathered once. */
export function allIn(root: SourceNode): readonly SourceNode[] {
  const before = programs.get(root)
  if (before !== undefined) return before
  const all: SourceNode[] = []
  const walk = (node: SourceNode): void => {
    all.push(node)
    for (const child of childrenOf(node)) walk(child.node)
  }
  walk(root)
  if (root.type === 'Program') programs.set(root, all)
  return all
}

function importedBy(program: SourceNode): Set<string> {
  const names = new Set<string>()
  for (const node of allIn(program))
    if (/^Import(Default|Namespace)?Specifier$/.test(node.type))
      names.add(textOf(childOf(node, 'local'), 'name') ?? '')
  return names
}

/** `const Body = z.object({ email: … })`: its keys, where nothing says that others are kept. */
function schemasOf(program: SourceNode, text: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const node of allIn(program)) {
    const name = textOf(childOf(node, 'id'), 'name')
    const init = childOf(node, 'init')
    if (node.type !== 'VariableDeclarator' || name === undefined || init === undefined) continue
    const keys = keysOfSchema(init, text)
    if (keys !== null) found.set(name, keys)
  }
  return found
}

function keysOfSchema(node: SourceNode, text: string): string[] | null {
  const written = text.slice(node.start, node.end)
  if (/\b(passthrough|catchall|looseObject|merge|extend|and|pick|omit)\(/.test(written)) return null
  for (const one of allIn(node)) {
    if (one.type !== 'CallExpression') continue
    const callee = childOf(one, 'callee')
    const [first] = listOf(one, 'arguments')
    if (
      textOf(childOf(callee, 'property'), 'name') !== 'object' ||
      first?.type !== 'ObjectExpression' ||
      !/^(z|zod|v)$/.test(textOf(childOf(callee, 'object'), 'name') ?? '')
    )
      continue
    return listOf(first, 'properties').flatMap((property) => keyOf(property) ?? [])
  }
  return null
}

const keyOf = (property: SourceNode): string | undefined => {
  const key = childOf(property, 'key')
  return property.computed === true ? undefined : (textOf(key, 'name') ?? textOf(key, 'value'))
}

/** Of what kind an expression is; reads and schemas that are met on the way are noted. */
function kindOf(node: SourceNode | undefined, known: Known): Kind | null {
  if (node === undefined) return null
  if (WRAPPERS.test(node.type)) return kindOf(childOf(node, 'expression') ?? childOf(node, 'argument'), known)
  if (node.type === 'Identifier') return known.kinds.get(textOf(node, 'name') ?? '') ?? null
  if (node.type === 'LogicalExpression' && textOf(node, 'operator') !== '&&')
    return kindOf(childOf(node, 'left'), known)
  if (/^(Optional)?MemberExpression$/.test(node.type)) {
    const object = childOf(node, 'object')
    const property = node.computed === true ? undefined : textOf(childOf(node, 'property'), 'name')
    if (property === 'body' && object !== undefined && IS_REQUEST.test(written(object, known)))
      return 'values'
    return property === 'value' && kindOf(object, known) === 'state' ? 'values' : null
  }
  if (!/^(Optional)?(Call|New)Expression$/.test(node.type)) return null
  return kindOfCall(node, known)
}

/** What is called, by its name or as a property of what, and with what. */
function callOf(node: SourceNode): {
  args: SourceNode[]
  first: SourceNode | undefined
  name: string
  object: SourceNode | undefined
  property: string
} {
  const callee = childOf(node, 'callee')
  const args = listOf(node, 'arguments')
  return {
    args,
    first: args[0],
    name: textOf(callee, 'name') ?? '',
    object: childOf(callee, 'object'),
    property: textOf(childOf(callee, 'property'), 'name') ?? '',
  }
}

function kindOfCall(node: SourceNode, known: Known): Kind | null {
  const { args, first, name, object, property } = callOf(node)
  if (node.type === 'NewExpression') {
    // Without anything it is made to be filled, by names that the code says.
    if (name === 'FormData') return args.length === 0 ? null : 'form'
    return name === 'URLSearchParams' && kindOf(first, known) !== null ? 'form' : null
  }
  if (object === undefined) {
    if (GIVES_VALUES.test(name) && name.length > 4) return 'values'
    if (/^readFormData$/.test(name)) return 'form'
    return null
  }
  const of = written(object, known)
  if (IS_REQUEST.test(of) && args.length === 0) {
    if (property === 'formData') return 'form'
    if (GIVES_VALUES.test(property)) return 'values'
  }
  if (/^(JSON|qs|querystring)$/.test(of) && property === 'parse')
    return kindOf(first, known) === null ? null : 'values'
  if (of === 'Object' && property === 'fromEntries') return kindOf(first, known) === null ? null : 'values'
  if (property === 'catch') return kindOf(object, known)
  if (property === 'entries' && kindOf(object, known) === 'form') return 'form'
  if (property === 'parseBody' && IS_REQUEST.test(of)) return 'values'
  return null
}

const written = ({ start, end }: SourceNode, { text }: Known): string => text.slice(start, end)

function visit(node: SourceNode, known: Known): void {
  const { flow } = known
  if (/^TS(Type|Interface|Enum)|^Import/.test(node.type)) return
  if (isFunction(node)) {
    takeParameters(node, known)
    const body = childOf(node, 'body')
    if (body !== undefined) visit(body, known)
    return
  }
  if (node.type === 'VariableDeclarator' || node.type === 'AssignmentExpression') {
    const target = childOf(node, 'id') ?? childOf(node, 'left')
    const value = childOf(node, 'init') ?? childOf(node, 'right')
    const kind = kindOf(value, known)
    if (kind !== null && target !== undefined && bind(target, kind, known)) {
      visitInside(value, known)
      return
    }
    // A name that is declared or given something else is no use of what it had.
    if (value !== undefined) visit(value, known)
    if (target !== undefined && /MemberExpression$/.test(target.type)) visit(target, known)
    return
  }
  if (/^(Optional)?MemberExpression$/.test(node.type)) {
    const object = childOf(node, 'object')
    const property = childOf(node, 'property')
    const kind = kindOf(object, known)
    if (kind !== null && object !== undefined && property !== undefined && kindOf(node, known) === null) {
      visitInside(object, known)
      const name = node.computed === true ? textOf(property, 'value') : textOf(property, 'name')
      if (kind === 'form') {
        if (name === undefined || !(ASKS.test(name) || OF_FORM_ALONE.test(name))) flow.wholes.push(object)
      } else if (name !== undefined) flow.reads.add(name)
      else readBy(property, known)
      return
    }
  }
  if (/^(Optional)?(Call|New)Expression$/.test(node.type) && visitCall(node, known)) return
  if (kindOf(node, known) !== null && !/^(Parenthesized|Await)/.test(node.type)) {
    flow.wholes.push(node)
    visitInside(node, known)
    return
  }
  for (const { node: child, field } of childrenOf(node)) {
    // Whether there is anything at all is no reading of what it is.
    const isAsked =
      (field === 'test' && /^(If|Conditional)/.test(node.type)) ||
      (node.type === 'UnaryExpression' && field === 'argument') ||
      (node.type === 'BinaryExpression' && /^[!=]==?$/.test(textOf(node, 'operator') ?? '')) ||
      (field === 'expression' && node.type === 'ExpressionStatement')
    if (isAsked && child.type === 'Identifier') continue
    if (node.type === 'ObjectProperty' && field === 'key' && node.computed !== true) continue
    visit(child, known)
  }
}

/** A name that code works out: one of a list that is written down, or nobody knows which. */
function readBy(node: SourceNode, known: Known): void {
  const name = node.type === 'Identifier' ? textOf(node, 'name') : undefined
  const names = name === undefined ? null : namesThrough(known.program, name)
  for (const one of names ?? [`{${written(node, known)}}`]) known.flow.reads.add(one)
}

const GOES_THROUGH = /^(forEach|map|flatMap|filter|find|findIndex|some|every)$/

/** `for (const name of ['a', 'b'])`, `['a', 'b'].filter((name) => …)`: what a name stands for; `null` where it may be something else anywhere in the file. */
function namesThrough(program: SourceNode, name: string): string[] | null {
  const found: string[] = []
  const lists: (SourceNode | undefined)[] = []
  let known = 0
  let declared = 0
  const isMeant = (node: SourceNode | undefined): boolean =>
    node?.type === 'Identifier' && textOf(node, 'name') === name
  for (const node of allIn(program)) {
    if (node.type === 'ForOfStatement') {
      const [own] = listOf(childOf(node, 'left'), 'declarations')
      if (isMeant(childOf(own, 'id'))) {
        known += 1
        lists.push(childOf(node, 'right'))
      }
    }
    if (/^(Optional)?CallExpression$/.test(node.type)) {
      const callee = childOf(node, 'callee')
      const [first] = listOf(node, 'arguments')
      if (
        first !== undefined &&
        isFunction(first) &&
        GOES_THROUGH.test(textOf(childOf(callee, 'property'), 'name') ?? '') &&
        isMeant(listOf(first, 'params')[0])
      ) {
        known += 1
        lists.push(childOf(callee, 'object'))
      }
    }
    const targets = isFunction(node)
      ? listOf(node, 'params')
      : node.type === 'VariableDeclarator'
        ? [childOf(node, 'id')]
        : node.type === 'CatchClause'
          ? [childOf(node, 'param')]
          : /^(Assignment|Update)Expression$/.test(node.type)
            ? [childOf(node, 'left') ?? childOf(node, 'argument')]
            : []
    for (const one of targets)
      if (one !== undefined && !/MemberExpression$/.test(one.type) && allIn(one).some(isMeant)) declared += 1
  }
  if (known === 0 || known !== declared) return null
  for (const list of lists) {
    const names = stringsOf(program, list)
    if (names === null) return null
    found.push(...names)
  }
  return found
}

/** The strings of a list that is written down, there or as a constant that nothing is added to. */
function stringsOf(program: SourceNode, node: SourceNode | undefined): string[] | null {
  if (node === undefined) return null
  if (WRAPPERS.test(node.type)) return stringsOf(program, childOf(node, 'expression'))
  if (node.type === 'ArrayExpression') {
    const names = listOf(node, 'elements').map((one) =>
      one.type === 'StringLiteral' ? textOf(one, 'value') : undefined,
    )
    const known = names.flatMap((one) => one ?? [])
    return known.length === names.length && known.length > 0 ? known : null
  }
  const name = node.type === 'Identifier' ? textOf(node, 'name') : undefined
  if (name === undefined) return null
  const all = allIn(program)
  const own = all.filter(
    (one) => one.type === 'VariableDeclarator' && textOf(childOf(one, 'id'), 'name') === name,
  )
  const isChanged = all.some(
    (one) =>
      textOf(childOf(one, 'object'), 'name') === name &&
      /^(push|unshift|splice|concat|fill|pop|shift)$/.test(textOf(childOf(one, 'property'), 'name') ?? ''),
  )
  const [only, ...more] = own
  const init = childOf(only, 'init')
  const isList = init !== undefined && /^(ArrayExpression|TS\w+Expression)$/.test(init.type)
  return more.length > 0 || isChanged || !isList ? null : stringsOf(program, init)
}

/** What stands inside an expression that is known as a whole: other values that it is made of. */
function visitInside(node: SourceNode | undefined, known: Known): void {
  if (node === undefined || node.type === 'Identifier') return
  for (const { node: child } of childrenOf(node)) {
    if (kindOf(child, known) === null) visit(child, known)
    else visitInside(child, known)
  }
}

/** Says whether a call has been dealt with. */
function visitCall(node: SourceNode, known: Known): boolean {
  const { args, first, name, object, property } = callOf(node)
  if (object !== undefined && kindOf(object, known) === 'form' && ASKS.test(property)) {
    visitInside(object, known)
    const asked = textOf(first, 'value')
    if (asked !== undefined) known.flow.reads.add(asked)
    else if (first !== undefined) readBy(first, known)
    return true
  }
  if (object !== undefined && written(object, known) === 'console') return true
  if (PARSES.test(property) && args.length > 0) {
    const schema = object === undefined ? undefined : known.schemas.get(textOf(object, 'name') ?? '')
    const given = schema ?? known.schemas.get(textOf(first, 'name') ?? '')
    const parsed = args.find((one) => kindOf(one, known) !== null)
    if (parsed !== undefined && given !== undefined) {
      for (const key of given) known.flow.reads.add(key)
      visitInside(parsed, known)
      return true
    }
  }
  if (name === 'handleSubmit' || property === 'handleSubmit') {
    const handler = first?.type === 'Identifier' ? known.functions.get(textOf(first, 'name') ?? '') : first
    const [values] = handler === undefined ? [] : listOf(handler, 'params')
    if (values !== undefined) bind(values, 'values', known)
    if (handler !== undefined) enter(handler, known)
    return true
  }
  let isGiven = false
  for (const [index, one] of args.entries()) {
    const kind = kindOf(one, known)
    if (kind === null) continue
    const own = known.functions.get(name)
    const parameter = own === undefined ? undefined : listOf(own, 'params')[index]
    if (own !== undefined && parameter !== undefined && bind(parameter, kind, known)) enter(own, known)
    else if (CHECKS.test(name)) known.flow.wholes.push(one)
    else if (known.imported.has(name)) known.flow.passes.push({ name, index, place: one })
    else continue
    isGiven = true
    visitInside(one, known)
  }
  if (!isGiven) return false
  for (const one of args) if (kindOf(one, known) === null) visit(one, known)
  return true
}

/** What values are held against is no receiver, and may insist on any of them. */
const CHECKS = /schema|valid|check|parse|^use[A-Z]/i

function enter(node: SourceNode, known: Known): void {
  if (known.entered.has(node)) return
  known.entered.add(node)
  visit(node, known)
}

/** A name or a pattern for values; `false` for what it cannot be followed into. */
function bind(target: SourceNode, kind: Kind, known: Known): boolean {
  if (target.type === 'AssignmentPattern') {
    const left = childOf(target, 'left')
    return left !== undefined && bind(left, kind, known)
  }
  const name = textOf(target, 'name')
  if (target.type === 'Identifier' && name !== undefined) {
    known.kinds.set(name, kind)
    return true
  }
  if (target.type !== 'ObjectPattern' || kind === 'form') return false
  const properties = listOf(target, 'properties')
  for (const property of properties) {
    const key = keyOf(property)
    const rest = property.type === 'RestElement' ? textOf(childOf(property, 'argument'), 'name') : undefined
    if (rest !== undefined) {
      known.kinds.set(rest, 'values')
      // What is taken out under another name, or taken apart, is taken to be used.
      known.flow.rests.push({ name: rest, dropped: properties.flatMap((one) => takenOut(one) ?? []) })
    } else if (key === undefined) known.flow.wholes.push(property)
    else known.flow.reads.add(key)
  }
  return true
}

const takenOut = (property: SourceNode): string | undefined =>
  textOf(childOf(property, 'value'), 'name') === keyOf(property) ? keyOf(property) : undefined

const IS_FORM = /^(formData|form_data)$/

/** What a function is given of a form, as its parameters say: `({ body })`, `(formData: FormData)`. */
function takeParameters(node: SourceNode, known: Known): void {
  for (const parameter of listOf(node, 'params')) {
    const name = textOf(parameter, 'name') ?? ''
    if (parameter.type === 'Identifier') {
      const type = childOf(parameter, 'typeAnnotation')
      const said = type === undefined ? '' : written(type, known)
      if (IS_FORM.test(name) ? said === '' || /FormData/.test(said) : /:\s*FormData$/.test(said))
        known.kinds.set(name, 'form')
    }
    if (parameter.type !== 'ObjectPattern') continue
    for (const property of listOf(parameter, 'properties')) {
      const value = property.value
      if (keyOf(property) === 'body' && isNode(value)) bind(value, 'values', known)
    }
  }
}
