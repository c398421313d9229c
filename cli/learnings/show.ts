import type { Results } from '../../domain/statistics/index.js'
import type { Result } from '../client/api.js'
import type { CommonOptions, Context } from '../context.js'
import { renderResults } from '../experiments/render-results.js'
import { escapeControls } from '../output.js'
import { renderRecord } from '../render/table.js'
import { colorize, formatTime, statusColor, type TerminalStyle, wrapText } from '../render/terminal-style.js'

type Learning = Result<'getLearning'>

export async function showLearning(context: Context, id: string, options: CommonOptions): Promise<void> {
  const { text, body } = await (await context.api()).call('getLearning', { path: { id } })
  if (options.json) context.terminal.out(`${text}\n`)
  else context.terminal.out(describeLearning(context.style(), body))
}

function describeLearning(style: TerminalStyle, learning: Learning): string {
  const results = resultsOf(learning.evidence)
  return [
    renderRecord(style, [
      ['title', learning.title, 'bold'],
      ['experiment', learning.experimentKey],
      [
        'decision',
        learning.variant === null ? learning.decision : `${learning.decision} ${learning.variant}`,
      ],
      ['review', learning.reviewStatus, statusColor(learning.reviewStatus)],
      ['created', formatTime(style, learning.createdAt)],
      ['evidence', learning.evidenceHash],
      ['id', learning.id],
    ]),
    `\n${colorize(style, 'bold', 'Interpretation')}\n`,
    ...wrapText(
      learning.interpretation === '' ? '-' : learning.interpretation,
      style.columns ?? Number.POSITIVE_INFINITY,
    ).map((line) => `${escapeControls(line)}\n`),
    results === null
      ? '\nIt was written before there were results.\n'
      : `\n${colorize(style, 'bold', 'Frozen results')}\n${renderResults(style, results)}`,
  ].join('')
}

function resultsOf(evidence: unknown): Results | null {
  if (typeof evidence !== 'object' || evidence === null || !('results' in evidence)) return null
  return evidence.results as Results | null
}
