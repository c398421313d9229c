import type { Input } from '../client/api.js'
import type { CommonOptions, Context } from '../context.js'
import { parseSource, readText } from '../files/document.js'
import { assertValid, compileSchema, fetchSchemas } from '../files/validate.js'

/** Changes fields of an experiment; the file is checked whole before it is sent. */
export async function updateExperiment(
  context: Context,
  id: string,
  file: string,
  options: CommonOptions,
): Promise<void> {
  const source = parseSource(file === '-' ? 'standard input' : file, await readText(context, file))
  const api = await context.api()
  assertValid(source, compileSchema(await fetchSchemas(context), 'UpdateExperiment')(source.value))
  const body = source.value as Input<'updateExperiment'>['body']
  const { text, body: experiment } = await api.call('updateExperiment', { path: { id }, body })
  const fields = Object.keys(body).join(', ')
  context.terminal.out(options.json ? `${text}\n` : `${experiment.key} is changed: ${fields}.\n`)
}
