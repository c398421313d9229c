import type { Results } from '../../domain/statistics/index.js'
import type { Result } from '../client/api.js'
import type { CommonOptions, Context } from '../context.js'
import { forEachId } from '../for-each-id.js'
import { escapeControls } from '../output.js'
import { printAnswer } from '../render/page.js'
import { renderRecord } from '../render/table.js'
import { colorize, formatTime, statusColor, type TerminalStyle, wrapText } from '../render/terminal-style.js'
import { renderResults } from './results.js'

interface ApproveOptions extends CommonOptions {
  readonly interpretation?: string
  readonly draft?: boolean
}

export async function showLearning(context: Context, id: string, options: CommonOptions): Promise<void> {
  const answer = await (await context.api()).call('getLearning', { path: { id } })
  await printAnswer(context, options, answer, describeLearning)
}

export async function approveLearnings(
  context: Context,
  ids: readonly string[],
  options: ApproveOptions,
): Promise<void> {
  const api = await context.api()
  const given = options.interpretation
  const interpretation = given === '-' ? (await context.readStdin()).trim() : given
  const body = {
    reviewStatus: options.draft ? ('draft' as const) : ('approved' as const),
    ...(interpretation === undefined ? {} : { interpretation }),
  }
  const run = (id: string) => api.call('updateLearning', { path: { id }, body })
  await forEachId(context, ids, options, run, (style, { title, reviewStatus }) => {
    return `${escapeControls(title)}: ${colorize(style, statusColor(reviewStatus), reviewStatus)}.`
  })
}

function describeLearning(style: TerminalStyle, learning: Result<'getLearning'>): string {
  const { decision, variant, interpretation, evidence } = learning
  const results = resultsOf(evidence)
  const lines = wrapText(
    interpretation === '' ? '-' : interpretation,
    style.columns ?? Number.POSITIVE_INFINITY,
  )
  return [
    renderRecord(style, [
      ['title', learning.title, 'bold'],
      ['experiment', learning.experimentKey],
      ['decision', variant === null ? decision : `${decision} ${variant}`],
      ['review', learning.reviewStatus, statusColor(learning.reviewStatus)],
      ['created', formatTime(style, learning.createdAt)],
      ['evidence', learning.evidenceHash],
      ['id', learning.id],
    ]),
    `\n${colorize(style, 'bold', 'Interpretation')}\n`,
    ...lines.map((line) => `${escapeControls(line)}\n`),
    results === null
      ? '\nIt was written before there were results.\n'
      : `\n${colorize(style, 'bold', 'Frozen results')}\n${renderResults(style, results)}`,
  ].join('')
}

function resultsOf(evidence: unknown): Results | null {
  if (typeof evidence !== 'object' || evidence === null || !('results' in evidence)) return null
  return evidence.results as Results | null
}
