import type { Candidate, KnownEvent, Proposal } from '../../port.js'
import { changesSaid, reachSaid, unwrittenSaid } from '../candidate.js'
import type { Locale } from '../locales.js'
import { hypothesisFor, whenToSend } from '../targets.js'
import { keyTextsOf } from './keyed.js'

/** A proposal whose hypothesis speaks of what it is measured by, with the event that the site has to send, and the notes that say the same. */
export function agreeing(
  proposal: Proposal,
  vocabulary: readonly KnownEvent[],
  locales: readonly Locale[],
): Pick<Candidate, 'hypothesis' | 'eventToSend' | 'reasons'> {
  const [target] = proposal.conversionTargets
  const { hypothesis, reasons = [] } = proposal
  if (target === undefined) return { hypothesis, eventToSend: null, reasons }
  const known = vocabulary.find(({ eventName }) => eventName === target.eventName)
  const eventToSend =
    known !== undefined
      ? null
      : proposal.eventToSend?.eventName === target.eventName
        ? proposal.eventToSend
        : { eventName: target.eventName, when: whenToSend(hypothesis, target.eventName) }
  return {
    hypothesis: hypothesisFor(proposal, eventToSend),
    eventToSend,
    reasons: reasonsFor(proposal, known?.count ?? 0, locales),
  }
}

const REACH = /^(?:Reach is not known: `([^`]*)`|`([^`]*)` was received (?:once|\d+ times)\.$)/
const CHANGES = /^Changes \d+ places? in /
const UNWRITTEN = /^Visitors of the other languages \(/

/** What speaks of the event, of how much is changed and of languages is said anew; the other reasons stay. */
function reasonsFor(
  { reasons = [], conversionTargets, files, ...proposal }: Proposal,
  seen: number,
  locales: readonly Locale[],
): string[] {
  const event = conversionTargets[0]?.eventName ?? ''
  const places = files.flatMap(({ edits }) => edits.filter(({ variant }) => variant !== undefined)).length
  const texts = keyTextsOf({ ...proposal, conversionTargets, files }, locales)
  const unwritten = [...new Set(texts.flatMap((one) => one.unwritten))]
  const said = reasons
    .filter((reason) => texts.length === 0 || !UNWRITTEN.test(reason))
    .map((reason) => {
      const [whole, unknown, received] = REACH.exec(reason) ?? []
      if (whole !== undefined) return (unknown ?? received) === event ? reason : reachSaid(event, seen)
      return CHANGES.test(reason) ? changesSaid(places, files.length) : reason
    })
  return unwritten.length === 0 ? said : [...said, unwrittenSaid(unwritten)]
}
