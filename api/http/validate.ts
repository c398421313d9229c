import type { TSchema } from '@sinclair/typebox'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { DataValidationCxt } from 'ajv/dist/types/index.js'
import { nameProblem, normalizeName } from '../../domain/name.js'
import { parseRfc3339 } from '../../domain/rfc3339.js'
import { UUID_PATTERN } from '../../domain/uuid.js'
import { type ErrorDetail, MAX_DETAILS } from '../../management/domain-errors.js'
import { escapePointer } from './json.js'

/** @param isLarge whether to look for one problem first, because each costs time */
export type Validator = (value: unknown, isLarge?: boolean) => ErrorDetail[]

const OPTIONS = {
  // A discriminator's error lists the known values by its schema.
  verbose: true,
  strict: true,
  // A discriminator is required beside the branches that define it.
  strictRequired: false,
  discriminator: true,
  useDefaults: true,
  allowUnionTypes: true,
} as const
const toFindAll = newAjv(true)
const toFindOne = newAjv(false)

function newAjv(allErrors: boolean): Ajv2020 {
  const ajv = new Ajv2020({ ...OPTIONS, allErrors })
  ajv.addKeyword('x-schema')
  ajv.addKeyword('x-any-of')
  ajv.addKeyword({
    keyword: 'x-name',
    type: 'string',
    schemaType: 'boolean',
    // Lengths are checked after it.
    before: 'maxLength',
    modifying: true,
    validate: normalizeInPlace,
  })
  ajv.addFormat('uuid', UUID_PATTERN)
  ajv.addFormat('date-time', isTime)
  return ajv
}

/**
 * In a large value that is wrong, further problems are looked for only in the first parts of lists and
 * objects.
 */
const MAX_SEARCHED = 200

/**
 * A function that fills in defaults and reports every offending field, up to 100. Compiled at its first use:
 * all of them take a third of a second.
 *
 * @param place name of a field by ajv's pointer
 */
export function compileValidator(schema: TSchema, place: (pointer: string) => string): Validator {
  let findAll: ValidateFunction | undefined
  let findOne: ValidateFunction | undefined
  return (value, isLarge = false) => {
    const errors: ErrorObject[] = []
    if (isLarge) {
      findOne ??= toFindOne.compile(schema)
      if (findOne(value)) return []
      errors.push(...(findOne.errors ?? []))
    }
    findAll ??= toFindAll.compile(schema)
    if (!findAll(isLarge ? beginningOf(value) : value))
      for (const error of findAll.errors ?? []) errors.push(error)
    return detailsOf(errors, place)
  }
}

function detailsOf(errors: readonly ErrorObject[], place: (pointer: string) => string): ErrorDetail[] {
  const details = new Map<string, ErrorDetail>()
  for (const error of errors) {
    if (isNullBranch(error, errors)) continue
    const detail = toDetail(error, place)
    if (detail !== undefined) details.set(`${detail.path} ${detail.message}`, detail)
    if (details.size === MAX_DETAILS) break
  }
  return [...details.values()]
}

/** Whether a value that may be null is refused for what is inside: then null is not what was meant. */
function isNullBranch(
  { keyword, params, instancePath }: ErrorObject,
  errors: readonly ErrorObject[],
): boolean {
  if (keyword !== 'type' || Reflect.get(params, 'type') !== 'null') return false
  return errors.some(
    (other) =>
      other.instancePath.startsWith(`${instancePath}/`) ||
      (other.instancePath === instancePath && other.keyword in FIELD_PROBLEMS),
  )
}

/** Deeper parts are refused already. */
const MAX_DEPTH_SEARCHED = 64

function beginningOf(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_DEPTH_SEARCHED) return null
  const begin = (part: unknown): unknown => beginningOf(part, depth + 1)
  if (Array.isArray(value)) return value.slice(0, MAX_SEARCHED).map(begin)
  const entries = Object.entries(value).slice(0, MAX_SEARCHED)
  return Object.fromEntries(entries.map(([name, part]) => [name, begin(part)]))
}

function normalizeInPlace(_: boolean, name: string, __?: unknown, context?: DataValidationCxt): boolean {
  const normalized = normalizeName(name)
  if (context !== undefined) Reflect.set(context.parentData, context.parentDataProperty, normalized)
  // A name of nothing is too short already.
  return normalized === '' || nameProblem(normalized) === undefined
}

/** Years 1 to 9999 in UTC: what both Postgres and four-digit ISO 8601 can express. */
function isTime(text: string): boolean {
  const at = parseRfc3339(text)
  return at !== undefined && at >= -62_135_596_800_000 && at <= 253_402_300_799_999
}

export function bodyPath(pointer: string): string {
  return pointer
}

/** Query parameters are flat: `/limit` is `query.limit`. */
export function queryPath(pointer: string): string {
  return pointer === '' ? 'query' : `query.${pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')}`
}

/** A path names one resource, so its parameter is always `path.id`. */
export function pathParameterPath(): string {
  return 'path.id'
}

function toDetail(error: ErrorObject, place: (pointer: string) => string): ErrorDetail | undefined {
  const { instancePath: at, keyword } = error
  const params = error.params as Record<string, unknown>
  const [field, message] = FIELD_PROBLEMS[keyword]?.(params, error) ?? []
  if (field !== undefined && message !== undefined)
    return { path: place(`${at}/${escapePointer(String(field))}`), message }
  // The errors of the branches tell everything.
  if (keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'if') return undefined
  const problem = PROBLEMS[keyword]?.(params, error) ?? error.message ?? 'is not valid'
  return { path: place(at), message: problem }
}

type Params = Readonly<Record<string, unknown>>

/** Problems of a field in an object: its name, and what is wrong. */
const FIELD_PROBLEMS: Readonly<Record<string, (params: Params, error: ErrorObject) => [unknown, string]>> = {
  required: ({ missingProperty }) => [missingProperty, 'is required'],
  additionalProperties: ({ additionalProperty }) => [additionalProperty, 'is not a known field or parameter'],
  discriminator: ({ tag, tagValue }, error) => [
    tag,
    tagValue === undefined ? 'is required' : `must be one of ${allowedTags(error)}`,
  ],
}

/** Problems of the value itself. */
const PROBLEMS: Readonly<Record<string, (params: Params, error: ErrorObject) => string>> = {
  enum: ({ allowedValues }) => `must be one of ${listOf(allowedValues)}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  type: ({ type }) => `must be ${typeName(type)}`,
  format: ({ format }) => FORMATS[String(format)] ?? 'has the wrong format',
  pattern: (_, error) => wrongForm(error),
  minLength: ({ limit }) => `must have at least ${count(limit, 'character')}`,
  maxLength: ({ limit }) => `must have at most ${count(limit, 'character')}`,
  minItems: ({ limit }) => `must have at least ${count(limit, 'item')}`,
  maxItems: ({ limit }) => `must have at most ${count(limit, 'item')}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  'x-name': (_, { data }) => nameProblem(normalizeName(String(data))) ?? 'cannot be used as a name',
}

/** The form of a text, in the words of the schema's description if it has one. */
function wrongForm(error: ErrorObject): string {
  const { description, examples } = (error.parentSchema ?? {}) as {
    description?: string
    examples?: unknown[]
  }
  const like = examples?.[0] === undefined ? '' : ` like ${JSON.stringify(examples[0])}`
  if (description === undefined) return `must be written${like || ` as ${error.params.pattern}`}`
  return `must be written${like || ' so'}: ${description}`
}

const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'must be a UUID',
  'date-time': 'must be an RFC 3339 time with a zone, such as 2026-11-21T09:30:00Z',
}

function allowedTags(error: ErrorObject): string {
  const branches = (
    error.parentSchema as { oneOf?: Array<{ properties?: Record<string, { enum?: unknown[] }> }> }
  )?.oneOf
  const tag = String((error.params as { tag?: unknown }).tag)
  return (branches ?? []).flatMap((branch) => branch.properties?.[tag]?.enum ?? []).join(', ')
}

function listOf(values: unknown): string {
  return Array.isArray(values) ? values.map((value) => String(value)).join(', ') : String(values)
}

function count(limit: unknown, unit: string): string {
  return `${limit} ${unit}${limit === 1 ? '' : 's'}`
}

function typeName(type: unknown): string {
  const names = (Array.isArray(type) ? type : [type]).map((name) => TYPES[String(name)] ?? String(name))
  return names.join(' or ')
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
}
