import type { Result } from '../client/api.js'
import { printable } from '../output.js'
import { type Look, paint, statusPaint } from '../render/look.js'

/** What every answer on one experiment has. */
export type Stated = Pick<Result<'getExperimentStatus'>, 'id' | 'key' | 'status' | 'pullRequest'>

/** An experiment and its status in a sentence, with its pull request where there is one. */
export function statusSentence(look: Look, { key, status, pullRequest }: Stated): string {
  const { number = null, url = null, branch, state, error = null } = pullRequest ?? {}
  // A local one has no address.
  const place = url ?? (number === null ? null : `#${number} on ${branch}`)
  return [
    `${key} is ${paint(look, statusPaint(status), status)}.`,
    ...(place === null ? [] : [`Pull request ${state}: ${printable(place)}`]),
    ...(error === null ? [] : [printable(error)]),
  ].join(' ')
}
