import type { Results } from '../../domain/statistics/index.js'
import type { Result } from '../client/api.js'
import type { Common, Context } from '../context.js'
import { renderResults } from '../experiments/render-results.js'
import { printable } from '../output.js'
import { type Look, moment, paint, statusPaint, wrap } from '../render/look.js'
import { renderRecord } from '../render/table.js'

type Learning = Result<'getLearning'>

export async function showLearning(context: Context, id: string, options: Common): Promise<void> {
  const { text, body } = await (await context.api()).call('getLearning', { path: { id } })
  if (options.json) context.terminal.out(`${text}\n`)
  else context.terminal.out(describeLearning(context.look(), body))
}

function describeLearning(look: Look, learning: Learning): string {
  const results = resultsOf(learning.evidence)
  return [
    renderRecord(look, [
      ['title', learning.title, 'bold'],
      ['experiment', learning.experimentKey],
      [
        'decision',
        learning.variant === null ? learning.decision : `${learning.decision} ${learning.variant}`,
      ],
      ['review', learning.reviewStatus, statusPaint(learning.reviewStatus)],
      ['created', moment(look, learning.createdAt)],
      ['evidence', learning.evidenceHash],
      ['id', learning.id],
    ]),
    `\n${paint(look, 'bold', 'Interpretation')}\n`,
    ...wrap(
      learning.interpretation === '' ? '-' : learning.interpretation,
      look.columns ?? Number.POSITIVE_INFINITY,
    ).map((line) => `${printable(line)}\n`),
    results === null
      ? '\nIt was written before there were results.\n'
      : `\n${paint(look, 'bold', 'Frozen results')}\n${renderResults(look, results)}`,
  ].join('')
}

function resultsOf(evidence: unknown): Results | null {
  if (typeof evidence !== 'object' || evidence === null || !('results' in evidence)) return null
  return evidence.results as Results | null
}
