import {
  type ObjectOptions,
  type SchemaOptions,
  type TProperties,
  type TSchema,
  Type,
} from '@sinclair/typebox'
import { ERROR_CODES } from './http-error.js'

/**
 * Building blocks of all schemas. A schema validates requests and is part of the OpenAPI document; `x-schema`
 * names it there.
 */
export function named<Schema extends TSchema>(name: string, schema: Schema): Schema {
  return { ...schema, 'x-schema': name }
}

/** A name that people give: trimmed, in NFC, and visible. Lengths are of the stored name. */
export function nameText(maxLength: number, options: SchemaOptions = {}) {
  return Type.String({ minLength: 1, maxLength, ...options, 'x-name': true })
}

/** An object without further fields. */
export function closed<Properties extends TProperties>(properties: Properties, options: ObjectOptions = {}) {
  return Type.Object(properties, { ...options, additionalProperties: false })
}

export function oneOf<const Word extends string>(words: readonly Word[], options: SchemaOptions = {}) {
  return Type.Unsafe<Word>({ type: 'string', enum: [...words], ...options })
}

export function nullable<Schema extends TSchema>(schema: Schema, options: SchemaOptions = {}) {
  return Type.Union([schema, Type.Null()], options)
}

/** @param tag the field whose value tells the branch */
export function unionBy<Union>(tag: string, branches: readonly TSchema[]) {
  const discriminator = { propertyName: tag }
  return Type.Unsafe<Union>({ type: 'object', required: [tag], discriminator, oneOf: branches })
}

/** An optional switch, off by default. */
export function flag(description: string) {
  return Type.Optional(Type.Boolean({ default: false, description }))
}

/** @param maxLength characters; there is at least one */
export function textUpTo(maxLength: number, description: string) {
  return Type.String({ minLength: 1, maxLength, description })
}

export function uuid(description: string) {
  return Type.String({ format: 'uuid', description, examples: ['0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e'] })
}

/** Requests accept any RFC 3339 time with a zone. */
export function time(description: string) {
  return Type.String({ format: 'date-time', description, examples: ['2026-11-21T09:30:00.000Z'] })
}

const Pagination = named(
  'Pagination',
  closed({
    limit: Type.Integer(),
    offset: Type.Integer(),
    total: Type.Integer({ description: 'Total over all pages' }),
    hasMore: Type.Boolean(),
  }),
)

export function pageSchema<Schema extends TSchema>(name: string, item: Schema) {
  return named(name, closed({ data: Type.Array(item), pagination: Pagination }))
}

export function list<Schema extends TSchema>(name: string, item: Schema) {
  return named(name, closed({ data: Type.Array(item) }))
}

export function paging(most: number, usual: number) {
  return {
    limit: Type.Integer({ minimum: 1, maximum: most, default: usual, description: 'Most entries to return' }),
    offset: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: 'Entries to skip; past the end the page is empty',
    }),
  }
}

export const ErrorBodySchema = named(
  'Error',
  closed(
    {
      code: oneOf(ERROR_CODES, { description: 'For programs' }),
      message: Type.String({ description: 'For people; may change' }),
      requestId: Type.String({ format: 'uuid', description: 'As in the header `X-Request-Id`' }),
      details: Type.Array(
        closed({
          path: Type.String({
            description:
              'A JSON pointer into the body, or `query.NAME`, `header.NAME`, `path.NAME`; for a missing permission the name of the scope; for an illegal transition `status` and `action`',
          }),
          message: Type.String(),
        }),
        { maxItems: 100, description: 'Every offending field; may be empty' },
      ),
    },
    { description: 'The body of every error response' },
  ),
)
