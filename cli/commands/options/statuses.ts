import { InvalidArgumentError } from 'commander'
import { STATUSES, type Status } from '../../../domain/lifecycle.js'

/** Statuses separated by commas: at least one. */
export function parseStatuses(text: string): Status[] {
  return text.split(',').map((word) => {
    const status = STATUSES.find((each) => each === word.trim())
    if (status === undefined)
      throw new InvalidArgumentError(
        `There is no status ${JSON.stringify(word.trim())}: they are ${STATUSES.join(', ')}.`,
      )
    return status
  })
}
