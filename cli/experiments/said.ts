import type { Result } from '../client/api.js'
import { printable } from '../output.js'
import { type Look, paint, statusPaint } from '../render/look.js'

/** What every answer on one experiment has. */
export type Stated = Pick<Result<'getExperimentStatus'>, 'id' | 'key' | 'status' | 'pullRequest'>

/** An experiment and its status in a sentence, with its pull request where there is one. */
export function statusSentence(look: Look, { key, status, pullRequest }: Stated): string {
  const url = pullRequest?.url
  const error = pullRequest?.error
  return [
    `${key} is ${paint(look, statusPaint(status), status)}.`,
    ...(url === null || url === undefined ? [] : [`Pull request ${pullRequest?.state}: ${printable(url)}`]),
    ...(error === null || error === undefined ? [] : [printable(error)]),
  ].join(' ')
}
