import type { Input } from '../client/api.js'
import type { Context } from '../context.js'
import { parseSource, readText } from '../files/document.js'
import { assertValid, compileSchema, fetchSchemas } from '../files/validate.js'
import { type PullRequestOptions, printPullRequest, waitForPullRequest } from './pull-request.js'

interface Options extends PullRequestOptions {
  readonly acknowledgeOverlap?: boolean
}

/** Declares an experiment; the file is checked whole before it is sent. */
export async function createExperiment(context: Context, file: string, options: Options): Promise<void> {
  const source = parseSource(file === '-' ? 'standard input' : file, await readText(context, file))
  const api = await context.api()
  assertValid(source, compileSchema(await fetchSchemas(context), 'CreateExperiment')(source.value))
  const body = source.value as Input<'createExperiment'>['body']
  const answer = await api.call('createExperiment', {
    body: options.acknowledgeOverlap ? { ...body, acknowledgeOverlap: true } : body,
  })
  printPullRequest(context, await waitForPullRequest(context, answer, options), options)
}
