import fc from 'fast-check'

/** The parts of a JSON Schema that the tests read. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minItems?: number
  readonly maxItems?: number
}

/** Resolves references into the document's components. */
export function resolverOf(schemas: Readonly<Record<string, unknown>>): (schema: Schema) => Schema {
  const resolve = (schema: Schema): Schema => {
    if (schema.$ref === undefined) return schema
    return resolve((schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) as Schema)
  }
  return resolve
}

/** Values that break software: quotes, pattern characters, unpaired surrogates, inexact numbers. */
export const NASTY: readonly unknown[] = [
  '',
  ' ',
  '%',
  '_',
  '\\',
  '\'";--',
  '%00',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\u{1f600}',
  'ß İ ﬀ',
  '../../etc',
  '$1',
  '__proto__',
  'a'.repeat(20_000),
  0,
  -1,
  -0,
  0.1,
  1e308,
  2 ** 53,
  2 ** 53 - 1,
  -(2 ** 53),
  1e21,
  true,
  null,
  [],
  {},
  [[[[]]]],
  [null],
  { __proto__x: 1, constructor: 2 },
  '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e',
  '2026-02-30T00:00:00Z',
  '9999-12-31T23:59:59.999-23:59',
  '0001-01-01T00:00:00Z',
]
export const nasty = fc.constantFrom(...NASTY)

/** Values for a schema, often but not always within its limits. */
export function anyValueOf(
  schema: Schema,
  resolve: (schema: Schema) => Schema,
  depth = 0,
): fc.Arbitrary<unknown> {
  const { type, enum: words, properties, items, ...rest } = resolve(schema)
  const inner = (one: Schema) => anyValueOf(one, resolve, depth + 1)
  const usual = ((): fc.Arbitrary<unknown> => {
    if (words !== undefined) return fc.constantFrom(...words)
    if (rest.const !== undefined) return fc.constant(rest.const)
    const branches = rest.oneOf ?? rest.anyOf
    if (branches !== undefined) return fc.oneof(...branches.map(inner))
    if (properties !== undefined) {
      const required = (resolve(schema).required ?? []) as string[]
      const fields = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, inner(one)]))
      return fc.record(fields, { requiredKeys: required })
    }
    if (type === 'array') {
      const { minItems = 0, maxItems = 4 } = rest
      return fc.array(inner(items ?? {}), {
        minLength: minItems,
        maxLength: Math.max(minItems, Math.min(maxItems, 4)),
      })
    }
    if (type === 'integer')
      return fc.integer({ min: rest.minimum ?? 0, max: Math.min(rest.maximum ?? 100, 2 ** 31 - 1) })
    if (type === 'number') return fc.double({ min: 0, max: 1_000, noNaN: true })
    if (type === 'boolean') return fc.boolean()
    if (type === 'null') return fc.constant(null)
    if (type === 'string') return textOf(rest)
    return fc.jsonValue({ maxDepth: 2 })
  })()
  return fc.oneof({ weight: depth === 0 ? 30 : 12, arbitrary: usual }, { weight: 1, arbitrary: nasty })
}

function textOf({ format, minLength = 0, maxLength = 40 }: Schema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid({ version: 7 })
  if (format === 'date-time')
    return fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
      .map((at) => at.toISOString())
  const ordinary = fc.string({
    minLength,
    maxLength: Math.min(maxLength, 30),
    unit: fc.constantFrom(...'abcXYZ019-_%\'"\\ é€'),
  })
  return fc.oneof(
    ordinary,
    fc.constantFrom('order_paid', 'control', 'a'.repeat(Math.max(1, Math.min(maxLength, 5_000)))),
  )
}

/** A field of a body with values inside and outside its limits. */
export interface Limit {
  readonly path: readonly (string | number)[]
  readonly within: readonly unknown[]
  readonly beyond: readonly unknown[]
}

/**
 * The limits of every field of an example, and of those it omits at the first level.
 *
 * @param example fits the schema
 */
export function limitsOf(
  schema: Schema,
  example: unknown,
  resolve: (schema: Schema) => Schema,
  path: readonly (string | number)[] = [],
): Limit[] {
  const own = resolve(schema)
  const limits: Limit[] = []
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, pattern, format } = own
  const add = (within: readonly unknown[], beyond: readonly unknown[]) =>
    limits.push({ path, within, beyond })
  if (own.type === 'string' && maxLength !== undefined)
    add(pattern === undefined ? ['x'.repeat(maxLength), '\u{1f600}'.repeat(maxLength)] : [], [
      'x'.repeat(maxLength + 1),
    ])
  if (own.type === 'string' && (minLength ?? 0) > 0) add([], ['x'.repeat((minLength ?? 1) - 1)])
  const misfit = '\u00e9 !'
  if (format !== undefined || (pattern !== undefined && !new RegExp(pattern, 'u').test(misfit)))
    add([], [misfit])
  if (minimum !== undefined) add([minimum], [minimum - 1, -(2 ** 53)])
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER)
    add([maximum], [maximum + 1, 2 ** 53, 1e300])
  if (own.type === 'integer') add([], [1.5, '1', null])
  if (own.type === 'boolean') add([true, false], ['true', 1, null])
  if (own.enum !== undefined) add(own.enum, ['no such word', 5, null])
  const [item] = Array.isArray(example) ? example : []
  if (maxItems !== undefined && item !== undefined)
    add([], [Array.from({ length: maxItems + 1 }, () => item)])
  if ((minItems ?? 0) > 0) add([], [[]])
  if (own.properties !== undefined && typeof example === 'object' && example !== null)
    for (const [name, property] of Object.entries(own.properties))
      limits.push(...limitsOf(property, (example as Record<string, unknown>)[name], resolve, [...path, name]))
  if (own.items !== undefined && item !== undefined)
    limits.push(...limitsOf(own.items, item, resolve, [...path, 0]))
  return limits
}

/** A copy with the value at that path; undefined if the path does not exist. */
export function withValue(body: unknown, path: readonly (string | number)[], value: unknown): unknown {
  const copy = structuredClone(body) as Record<string | number, unknown>
  let at: Record<string | number, unknown> | undefined = copy
  for (const step of path.slice(0, -1)) at = at?.[step] as Record<string | number, unknown> | undefined
  if (typeof at !== 'object' || at === null) return undefined
  at[path.at(-1) ?? ''] = value
  return copy
}
