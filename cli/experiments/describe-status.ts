import type { Result } from '../client/api.js'
import { escapeControls } from '../output.js'
import { colorize, statusColor, type TerminalStyle } from '../render/terminal-style.js'

/** What every answer on one experiment has. */
export type ExperimentStatus = Pick<Result<'getExperimentStatus'>, 'id' | 'key' | 'status' | 'pullRequest'>

/** An experiment and its status in a sentence, with its pull request where there is one. */
export function describeStatus(style: TerminalStyle, { key, status, pullRequest }: ExperimentStatus): string {
  const { number = null, url = null, branch, state, error = null } = pullRequest ?? {}
  // A local one has no address.
  const place = url ?? (number === null ? null : `#${number} on ${branch}`)
  return [
    `${key} is ${colorize(style, statusColor(status), status)}.`,
    ...(place === null ? [] : [`Pull request ${state}: ${escapeControls(place)}`]),
    ...(error === null ? [] : [escapeControls(error)]),
  ].join(' ')
}
