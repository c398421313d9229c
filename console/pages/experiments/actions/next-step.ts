import type { components } from '../../../../contract/operations.js'
import { pluralize } from '../../../../domain/text/format.js'

type Detail = components['schemas']['ExperimentDetail']

/** The fields of a detail that decide what comes next. */
export type Upcoming = Pick<
  Detail,
  'status' | 'results' | 'sizing' | 'readiness' | 'variants' | 'cleanupPullRequest' | 'rejectedStage'
>

/** The next step of a person with an experiment, in one sentence. */
export function nextStep(experiment: Upcoming): string {
  const { status, readiness } = experiment
  switch (status) {
    case 'proposed':
      return 'Look at what it changes, then approve it, have it rewritten, or dismiss it.'
    case 'dismissed':
      return 'It was dismissed; later proposals take the reasons into account.'
    case 'approved':
      return readiness.canStart
        ? 'Start it once its variants are on the site, or have its pull request written first.'
        : 'It cannot start yet.'
    case 'generating_pr':
      return 'The pull request is being written; this page follows by itself.'
    case 'pr_failed':
      return 'The pull request could not be written: duplicate the experiment to try again.'
    case 'pr_open':
      return 'Merge its pull request, then start it here; closing the pull request rejects the experiment.'
    case 'ready':
      return readiness.canStart
        ? 'Its code is merged: start it.'
        : 'Its code is merged, but it cannot start yet.'
    case 'running':
      return whileRunning(experiment)
    case 'paused':
      return 'Everyone sees the control while it is paused: resume it, or end it.'
    case 'ended':
      return `Decide: ship a variant or reject. ${verdictHint(experiment)}`.trim()
    case 'settling':
      return 'It is decided; the results are frozen as soon as late conversions are in.'
    case 'shipped':
      return experiment.cleanupPullRequest?.state === 'open'
        ? 'A variant was shipped: merge the cleanup pull request to make it ordinary code.'
        : 'A variant was shipped; the learning says why.'
    case 'rejected':
      return experiment.rejectedStage === 'pr'
        ? 'It was rejected, because its pull request was closed.'
        : 'It was rejected: everything stays as it was. The learning says why.'
    case 'concluded':
      return 'It was concluded without shipping or rejecting; the learning says what was found.'
  }
}

function whileRunning(experiment: Upcoming): string {
  const { results } = experiment
  const wait = `Let it run${timeLeft(experiment)}.`
  switch (results?.verdict.code) {
    case 'broken_split':
      return 'Find out why the split is broken before you trust a figure; the data quality below says more.'
    case 'harmed':
      return 'Pause or end it, because a guardrail is harmed.'
    case 'winner':
      return `End it and decide, or ship ${nameOf(experiment, results.verdict.variant)} at once.`
    case 'loser':
      return 'End it and reject it.'
    case 'no_difference':
      return 'End it and decide: more data will hardly change this.'
    case 'no_data':
      return 'Open a page with the experiment: the first persons appear here within seconds.'
    default:
      return wait
  }
}

function timeLeft({ sizing }: Upcoming): string {
  if (sizing?.daysLeft == null) return ' until there is enough data'
  return sizing.daysLeft === 0 ? '' : `: about ${pluralize(sizing.daysLeft, 'day')} are left`
}

function verdictHint(experiment: Upcoming): string {
  const verdict = experiment.results?.verdict
  if (verdict?.code === 'winner') return `${nameOf(experiment, verdict.variant)} is better than the control.`
  if (verdict?.code === 'loser' || verdict?.code === 'harmed') return 'The figures are against shipping.'
  return ''
}

function nameOf({ variants }: Upcoming, variant: string | null): string {
  return variants.find(({ key }) => key === variant)?.displayName ?? 'the variant'
}
