import type { Results } from '../../domain/statistics/index.js'
import { CommandError, EXIT } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { escapeControls } from '../output.js'
import { colorize } from '../render/terminal-style.js'
import { renderResults } from './render-results.js'

/** One value of a property, and the results of those who had it at their first exposure. */
interface Segment {
  readonly value: unknown
  readonly results: Results
}

interface Options extends CommonOptions {
  readonly breakdown?: string
  readonly limit?: number
}

/** Results of an experiment, or of each segment of it. As JSON the experiment itself, or the answer with the segments. */
export async function showResults(context: Context, id: string, options: Options): Promise<void> {
  const api = await context.api()
  const style = context.style()
  const { json, breakdown, limit } = options
  if (breakdown === undefined) {
    if (limit !== undefined) throw new CommandError(EXIT.usage, '--limit needs --breakdown')
    const { text, body } = await api.call('getExperiment', { path: { id } })
    const results = body.results as Results | null
    if (json) context.terminal.out(`${text}\n`)
    else if (results === null) context.terminal.out(`${body.key} is ${body.status} and has no results yet.\n`)
    else context.terminal.out(renderResults(style, results))
    return
  }
  const { text, body } = await api.get<{ readonly data: readonly Segment[] }>(
    '/experiments/{id}/results',
    { breakdown, limit },
    { id },
  )
  if (json) {
    context.terminal.out(`${text}\n`)
    return
  }
  if (body.data.length === 0) context.terminal.err('Nobody was exposed yet.\n')
  for (const { value, results } of body.data) {
    const name = value === null ? `without ${breakdown}` : `${breakdown} = ${JSON.stringify(value)}`
    context.terminal.out(
      `${colorize(style, 'cyan', escapeControls(name))}\n${renderResults(style, results)}\n`,
    )
  }
  context.terminal.err('Segments are exploratory: the more of them, the more differ by chance.\n')
}
