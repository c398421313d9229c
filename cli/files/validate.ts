import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { parseRfc3339 } from '../../domain/rfc3339.js'
import { unreachableError } from '../client/error-response.js'
import { sendRequest } from '../client/transport.js'
import { refusedError } from '../command-error.js'
import type { Context } from '../context.js'
import { type FileProblem, invalidFileError, type SourceFile } from './document.js'

const TIMEOUT_MS = 15_000

/** The schemas of the OpenAPI document that the service serves. */
export async function fetchSchemas(context: Context): Promise<Readonly<Record<string, unknown>>> {
  const { apiUrl } = context.connection()
  const url = new URL(`${apiUrl}/reference/openapi.json`)
  const answer = await sendRequest({ method: 'GET', url, headers: {}, timeoutMs: TIMEOUT_MS }).catch(
    (error) => {
      throw unreachableError(apiUrl, error)
    },
  )
  try {
    const document = JSON.parse(answer.text) as { components: { schemas: Record<string, unknown> } }
    return document.components.schemas
  } catch {
    throw refusedError(`${apiUrl} serves no OpenAPI document (HTTP ${answer.status})`, undefined, [
      'try: svc doctor',
    ])
  }
}

/** Compiles a schema into a function that lists every invalid place of a value by its JSON pointer. */
export function compileSchema(
  schemas: Readonly<Record<string, unknown>>,
  name: string,
): (value: unknown) => { readonly pointer: string; readonly message: string }[] {
  const ajv = new Ajv2020({ allErrors: true, strict: false, discriminator: true, verbose: true })
  ajv.addFormat('uuid', true)
  ajv.addFormat('date-time', (text: string) => parseRfc3339(text) !== undefined)
  ajv.addSchema({ $id: 'svc', components: { schemas: removeMappings(schemas) } })
  const validate = ajv.compile({ $ref: `svc#/components/schemas/${name}` })
  return (value) => {
    if (validate(value)) return []
    const found = (validate.errors ?? []).flatMap((error) => {
      const said = describeError(error)
      return said === undefined ? [] : [said]
    })
    return found.filter(
      (one, at) =>
        found.findIndex((other) => other.pointer === one.pointer && other.message === one.message) === at,
    )
  }
}

/** Throws CommandError with line and column of every problem. */
export function assertValidFile(
  source: SourceFile,
  problems: readonly { readonly pointer: string; readonly message: string }[],
): void {
  if (problems.length === 0) return
  const placed: FileProblem[] = problems.map(({ pointer, message }) => ({
    ...source.location(pointer),
    message: `${pointer === '' ? 'the file' : pointer} ${message}`,
  }))
  throw invalidFileError(
    source.name,
    placed.sort((a, b) => a.line - b.line || a.column - b.column),
  )
}

/** Removes `discriminator.mapping`, which ajv rejects and does not need. */
function removeMappings(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(removeMappings)
  if (typeof value !== 'object' || value === null) return value
  const { discriminator, ...rest } = value as { discriminator?: unknown }
  const bare = Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, removeMappings(item)]))
  if (typeof discriminator !== 'object' || discriminator === null || !('propertyName' in discriminator))
    return discriminator === undefined ? bare : { discriminator: removeMappings(discriminator), ...bare }
  return { ...bare, discriminator: { propertyName: discriminator.propertyName } }
}

function describeError({
  keyword,
  instancePath,
  params,
  message,
  schema,
}: ErrorObject): { readonly pointer: string; readonly message: string } | undefined {
  const at = (name: unknown): string =>
    `${instancePath}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`
  switch (keyword) {
    case 'required':
      return { pointer: at(params.missingProperty), message: 'is required' }
    case 'additionalProperties':
      return { pointer: at(params.additionalProperty), message: 'is not known here' }
    case 'enum':
      return {
        pointer: instancePath,
        message: `must be one of ${(params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`,
      }
    case 'pattern':
      return { pointer: instancePath, message: `must match ${String(schema)}` }
    case 'discriminator':
      return {
        pointer: at(params.tag),
        message:
          params.tagValue === undefined ? 'is required' : `cannot be ${JSON.stringify(params.tagValue)}`,
      }
    // The errors of the branches are reported themselves.
    case 'oneOf':
    case 'anyOf':
    case '$ref':
      return undefined
    default:
      return { pointer: instancePath, message: message ?? keyword }
  }
}
