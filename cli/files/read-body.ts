import type { Input } from '../client/api.js'
import type { Context } from '../context.js'

/** Reads a request body from a file and validates it whole against a served schema. */
export async function readBody<O extends 'createExperiment' | 'updateExperiment' | 'createInsight'>(
  context: Context,
  file: string,
  schema: string,
): Promise<Input<O>['body']> {
  const { parseSource, readText } = await import('./document.js')
  const source = parseSource(file === '-' ? 'standard input' : file, await readText(context, file))
  const { assertValidFile: assertValid, compileSchema, fetchSchemas } = await import('./validate.js')
  // A missing key is reported before the schemas are asked for.
  await context.api()
  assertValid(source, compileSchema(await fetchSchemas(context), schema)(source.value))
  return source.value as Input<O>['body']
}
