import { evenly } from '../even-split.js'
import { editsOf } from '../page/edits.js'
import { rankOf } from '../page/page-paths.js'
import type { PageTree } from '../page/tree.js'
import type { Candidate, KnownEvent } from '../port.js'
import type { ProposalRule, RuleIdea } from './rule.js'
import { aimOf } from './targets.js'

const MAX_NAME = 120
const MAX_DISPLAY_NAME = 80

/** The candidate of an idea. `null` if its place cannot be told from others in the file. */
export function candidateOf(
  page: PageTree,
  idea: RuleIdea,
  { ruleId, why }: Pick<ProposalRule, 'ruleId' | 'why'>,
  vocabulary: readonly KnownEvent[],
): Candidate | null {
  const { changes, displayName, says } = idea
  const edits = editsOf(page, 'b', changes)
  if (edits === null) return null
  const unwritten = says === null ? [] : (page.otherLanguages ?? [])
  const { target, eventToSend, received, outcome } = aimOf(idea.goal, vocabulary)
  const largest = vocabulary.reduce((max, { count }) => Math.max(max, count), 1)
  // From 1 if nothing is known of the event to 2 for the most frequent one.
  const reach = 1 + Math.log1p(received) / Math.log1p(largest)
  const score =
    idea.effect * reach * (1 + Math.max(-3, rankOf(page.path)) / 20) * (unwritten.length > 0 ? 0.6 : 1)
  return {
    name: shortened(idea.name, MAX_NAME),
    mechanism: idea.mechanism,
    ruleId,
    hypothesis: `If ${idea.change}, then ${outcome} (\`${target.eventName}\`), because ${idea.because}.`,
    surfaces: [{ path: page.path, anchor: shortened(idea.anchor, 200) }],
    topics: idea.topics.filter((topic) => topic !== ''),
    files: [{ path: page.path, edits }],
    variants: evenly([
      { key: 'control', displayName: 'Control', trafficSplit: 0, isControl: true },
      {
        key: 'b',
        displayName: shortened(displayName, MAX_DISPLAY_NAME),
        trafficSplit: 0,
        isControl: false,
      },
    ]),
    alternatives: says === null ? [] : [says],
    ...(idea.evidence === undefined ? {} : { evidence: idea.evidence }),
    conversionTargets: [target],
    eventToSend,
    priority: score >= 5 ? 'high' : score >= 2.5 ? 'medium' : 'low',
    score,
    reasons: [
      why,
      reachSaid(target.eventName, received),
      ...(unwritten.length === 0 ? [] : [unwrittenSaid(unwritten)]),
    ],
  }
}

export const reachSaid = (eventName: string, received: number): string =>
  received === 0
    ? `The workspace has not received \`${eventName}\` yet, so its reach is not known.`
    : `\`${eventName}\` was received ${received === 1 ? 'once' : `${received} times`}.`

const unwrittenSaid = (languages: readonly string[]): string =>
  `The new text is not written in the other languages (${[...new Set(languages)].join(', ')}). Limit the experiment to those who read the first, or add a text for each.`

const shortened = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).replace(/\s+\S*$/, '')}…`
