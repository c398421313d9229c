import { foldName, normalizeName } from '../../domain/name.js'
import type { Input } from '../client/api.js'
import type { Context } from '../context.js'
import { invalidFileError, type SourceFile } from '../files/document.js'
import { assertValidFile, compileSchema, fetchSchemas } from '../files/validate.js'
import { type Definition, toDefinition } from './definition.js'

/** Validates the funnels of a file. Throws CommandError with every invalid place. */
export async function readFunnels(context: Context, source: SourceFile): Promise<Definition[]> {
  const items = itemsOf(source)
  const validate = compileSchema(await fetchSchemas(context), 'CreateFunnel')
  assertValidFile(
    source,
    items.flatMap((item, at) =>
      validate(item).map(({ pointer, message }) => ({ pointer: `/funnels/${at}${pointer}`, message })),
    ),
  )
  const definitions = (items as Input<'createFunnel'>['body'][]).map(toDefinition).map(withStoredNames)
  assertValidFile(
    source,
    definitions.flatMap(({ name }, at) => {
      const first = definitions.findIndex((other) => foldName(other.name) === foldName(name))
      return first === at
        ? []
        : [
            {
              pointer: `/funnels/${at}/name`,
              message: `is that of /funnels/${first} too: names are unique, without regard to case`,
            },
          ]
    }),
  )
  return definitions
}

/** Names as the service stores them, so that applying a file again changes nothing. */
function withStoredNames({ name, steps, ...rest }: Definition): Definition {
  return {
    ...rest,
    name: normalizeName(name),
    steps: steps.map((step) => ({ ...step, name: normalizeName(step.name) })),
  }
}

function itemsOf(source: SourceFile): unknown[] {
  const { value, name } = source
  if (typeof value !== 'object' || value === null || !('funnels' in value))
    throw invalidFileError(name, [{ line: 1, column: 1, message: 'must hold funnels: a list of funnels' }])
  const unknown = Object.keys(value).filter((key) => key !== 'funnels')
  assertValidFile(
    source,
    unknown.map((key) => ({ pointer: `/${key}`, message: 'is not known here' })),
  )
  const { funnels } = value
  // `funnels:` without a value is an empty list.
  if (funnels === null) return []
  if (!Array.isArray(funnels))
    throw invalidFileError(name, [{ ...source.location('/funnels'), message: '/funnels must be a list' }])
  return funnels
}
