import type { components } from '../../../../contract/operations.js'
import { EDITABLE } from '../../../../domain/lifecycle.js'

type Experiment = Pick<components['schemas']['Experiment'], 'status'>

/** Whether its name and its reasoning can still change, too. */
export const isProposal = ({ status }: Experiment): boolean => includes(EDITABLE.proposal, status)

/** Why the experiment cannot be edited; undefined if it can. */
export function whyNotEditable({ status }: Experiment): string | undefined {
  return includes(EDITABLE.measurement, status)
    ? undefined
    : 'Variants and targets are fixed by now. Duplicate the experiment to change them'
}

function includes(statuses: readonly string[], status: string): boolean {
  return statuses.includes(status)
}
