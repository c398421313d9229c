import { parse } from '@babel/parser'

/**
 * The code that a mutation changes, found by its meaning: its layout and the names of its locals may change
 * without breaking the mutation. In SQL, `sets` is the expression assigned to a column, and `clause` is words
 * of the statement with anything between them.
 */
export type Thing =
  | { readonly call: string }
  | { readonly awaited: string }
  | { readonly negated: string }
  | { readonly faultPoint: string }
  | { readonly property: string }
  | { readonly instanceOf: string }
  | { readonly returned: 'a comparison' }
  | { readonly whole: 'body' }
  | { readonly sets: string }
  | { readonly clause: string }

/** A thing as it is written, with the parts that it has. */
export interface Written {
  readonly text: string
  /** The object of a method call. */
  readonly object: string
  /** Of a call, in their order; of a function, what its parameters are called. */
  readonly args: readonly string[]
  /** Of a comparison. */
  readonly left: string
  readonly right: string
  /** Values of the other columns in the same statement. */
  readonly others: Readonly<Record<string, string>>
}

interface Place extends Written {
  readonly from: number
  readonly to: number
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

/**
 * Finds a thing in the function or method `within` of a compiled program.
 *
 * @param within a function's name, or `Class.method`
 * @throws if there is no such function, no such thing in it, or more than one
 */
export function findThing(source: string, within: string, thing: Thing): Place {
  const file = parse(source, { sourceType: 'module' }) as unknown as Node
  const found = functionsNamed(file, within)
  const [where] = found
  if (where === undefined || found.length > 1)
    throw new Error(`${found.length} functions, not one, are called ${within}`)
  const places = placesOf(source, where, thing)
  const [place] = places
  if (place === undefined || places.length > 1)
    throw new Error(`${within} has ${places.length} places, not one, with ${JSON.stringify(thing)}`)
  return place
}

function functionsNamed(file: Node, name: string): Node[] {
  const [owner, method] = name.includes('.') ? name.split('.') : [undefined, name]
  const root =
    owner === undefined ? [file] : every(file, (node) => isClass(node) && nameOf(node.id) === owner)
  return root.flatMap((within) =>
    every(within, (node) => {
      if (node.type === 'FunctionDeclaration') return owner === undefined && nameOf(node.id) === method
      if (node.type === 'ClassMethod' || node.type === 'ClassPrivateMethod')
        return owner !== undefined && nameOf(node.key) === method
      return false
    }),
  )
}

function placesOf(source: string, where: Node, thing: Thing): Place[] {
  const textOf = (node: unknown): string => (isNode(node) ? source.slice(node.start, node.end) : '')
  const place = (node: Node, parts: Partial<Written> = {}): Place => ({
    ...{ from: node.start, to: node.end, text: textOf(node), object: '', args: [] },
    ...{ left: '', right: '', others: {} },
    ...parts,
  })
  const callParts = (call: Node): Partial<Written> => ({
    object: isNode(call.callee) ? textOf(call.callee.object) : '',
    args: nodes(call.arguments).map(textOf),
  })
  const callsIn = (test: (call: Node) => boolean) => every(where, (node) => isCall(node) && test(node))
  const operand = (node: Node): Node | undefined => (isNode(node.argument) ? node.argument : undefined)
  const around = (type: string, name: string): Place[] =>
    every(where, (node) => node.type === type && isCallOf(operand(node), name)).map((node) =>
      place(node, { ...callParts(operand(node) ?? node), text: textOf(operand(node)) }),
    )

  if ('call' in thing)
    return callsIn((call) => isCallOf(call, thing.call)).map((call) => place(call, callParts(call)))
  if ('awaited' in thing) return around('AwaitExpression', thing.awaited)
  if ('negated' in thing) return around('UnaryExpression', thing.negated)
  if ('faultPoint' in thing)
    return callsIn(
      (call) => isCallOf(call, 'faultPoint') && nodes(call.arguments)[0]?.value === thing.faultPoint,
    ).map((call) => place(call, callParts(call)))
  if ('property' in thing)
    return every(where, (node) => node.type === 'ObjectProperty' && nameOf(node.key) === thing.property).map(
      ({ value }) => place(value as Node),
    )
  if ('instanceOf' in thing)
    return every(
      where,
      (node) => node.operator === 'instanceof' && nameOf(node.right) === thing.instanceOf,
    ).map((node) => place(node))
  if ('returned' in thing)
    return every(where, (node) => node.type === 'ReturnStatement')
      .flatMap((node) => operand(node) ?? [])
      .filter(({ type, operator }) => type === 'BinaryExpression' && /[<>]/.test(String(operator)))
      .map((node) => place(node, { left: textOf(node.left), right: textOf(node.right) }))
  if ('whole' in thing) return [place(where.body as Node, { args: nodes(where.params).map(textOf) })]
  const statements = every(where, ({ type }) => type === 'TemplateLiteral')
  if ('clause' in thing)
    return statements.flatMap((node) =>
      clausePlaces(textOf(node), node.start, thing.clause).map((found) => place(found)),
    )
  return statements.flatMap((node) => {
    const columns = settersOf(source, node)
    const others = Object.fromEntries(columns.map(({ column, value }) => [column, textOf(value)]))
    return columns.filter(({ column }) => column === thing.sets).map(({ value }) => place(value, { others }))
  })
}

/** `column = ${value}` in the order in which they stand. */
function settersOf(source: string, template: Node): { readonly column: string; readonly value: Node }[] {
  const texts = nodes(template.quasis)
  return nodes(template.expressions).flatMap((value, index) => {
    const before = texts[index]
    const column = before && /(?:^|[\s,])(\w+)\s*=\s*$/.exec(source.slice(before.start, before.end))?.[1]
    return column === undefined ? [] : [{ column, value }]
  })
}

function clausePlaces(text: string, offset: number, clause: string): Node[] {
  const words = clause.split(/\s+/).map((word) => word.replace(/[^\w]/g, '\\$&'))
  return [...text.matchAll(new RegExp(words.join('\\s+'), 'gi'))].map((match) => ({
    type: 'clause',
    start: offset + match.index,
    end: offset + match.index + match[0].length,
  }))
}

function isNode(value: unknown): value is Node {
  return value instanceof Object && 'type' in value && 'start' in value && 'end' in value
}

function nodes(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : []
}

function every(root: Node, test: (node: Node) => boolean): Node[] {
  const found = test(root) ? [root] : []
  for (const value of Object.values(root))
    for (const child of isNode(value) ? [value] : nodes(value)) found.push(...every(child, test))
  return found
}

function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  if (node.type === 'PrivateName') return nameOf(node.id)
  return typeof node.name === 'string' ? node.name : undefined
}

function isClass({ type }: Node): boolean {
  return type === 'ClassDeclaration' || type === 'ClassExpression'
}

function isCall({ type }: Node): boolean {
  return type === 'CallExpression' || type === 'OptionalCallExpression'
}

/** Whether it calls a function or a method of that name. */
function isCallOf(node: Node | undefined, name: string): boolean {
  if (node === undefined || !isCall(node) || !isNode(node.callee)) return false
  return nameOf(node.callee.property ?? node.callee) === name
}
