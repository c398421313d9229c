import type { Candidate, KnownEvent } from '../port.js'
import { evenly } from '../shares.js'
import type { Draft } from './analyse.js'
import { aimOf, notReceived } from './targets.js'

interface Near {
  pages: number
  sent: readonly string[]
}

/**
 * The proposal that a draft becomes in a workspace: what it aims at, what it says, and how much it is worth.
 * @param near how many pages show its place, and the events that the code there sends to the site's own analytics, as far as that is known
 */
export function candidateOf(draft: Draft, vocabulary: readonly KnownEvent[], near: Near): Candidate {
  const { targets, eventToSend, seen } = aimOf(draft.goal, vocabulary, {
    pressed: draft.when,
    // What is measured in all variants is said by the rule itself.
    sent: draft.when === undefined ? near.sent : [],
    about: `${draft.name.replace(/^[^“]*(?=“)/, '')} ${draft.path.replace(/[/._-]/g, ' ')}`,
  })
  const event = targets[0]?.eventName ?? ''
  const effort = draft.edits.reduce(
    (sum, { find, replace }) => sum + Math.max(find.length, replace.length),
    0,
  )
  const most = vocabulary.reduce((max, { count }) => Math.max(max, count), 1)
  // Reach from 1 (nothing known) to 2 (the most frequent event); effort takes off as much as half.
  const reach = 1 + Math.log1p(seen) / Math.log1p(most)
  const score =
    ((draft.effect * reach) / (1 + Math.min(0.5, effort / 12000))) *
    (isAside(draft.path) ? 0.5 : 1) *
    // Of two that are worth the same, the one that more pages show.
    (1 + Math.min(near.pages, 20) / 1000) *
    // Who reads another language sees no difference.
    (draft.unwritten.length > 0 ? 0.6 : 1)
  const changed = draft.edits.length + (draft.places?.length ?? 0)
  const own = draft.additions.filter(({ path }) => path === draft.path).flatMap(({ edits }) => edits)
  const others = draft.additions.filter(({ path }) => path !== draft.path)
  const sent = eventToSend === null ? '' : notReceived(event, eventToSend.when)
  return {
    name: short(wholeQuotes(draft.name), 120),
    mechanism: draft.mechanism,
    pattern: draft.pattern,
    hypothesis: wholeQuotes(
      `For ${draft.audience}, ${draft.change} increases \`${event}\`, because ${draft.because} (${draft.mechanism}).${sent}`,
    ),
    surfaces: [{ path: draft.path, anchor: draft.anchor }, ...(draft.places ?? [])],
    topics: draft.topics.filter((topic) => topic !== ''),
    files: [{ path: draft.path, edits: [...own, ...draft.edits] }, ...others],
    variants: variantsOf(draft),
    alternatives: draft.arms.flatMap(({ says }) => says ?? []),
    ...(draft.evidence === undefined ? {} : { evidence: draft.evidence }),
    conversionTargets: targets,
    eventToSend,
    priority: score >= 5 ? 'high' : score >= 2.5 ? 'medium' : 'low',
    score,
    reasons: [
      `Likely effect ${draft.effect} of 5 (${draft.pattern}).`,
      reachSaid(event, seen),
      changesSaid(changed, others.length + 1),
      ...(draft.unwritten.length === 0 ? [] : [unwrittenSaid(draft.unwritten)]),
    ],
  }
}

export const reachSaid = (event: string, seen: number): string =>
  seen === 0
    ? `Reach is not known: \`${event}\` has not been received.`
    : `\`${event}\` was received ${seen === 1 ? 'once' : `${seen} times`}.`

export const changesSaid = (places: number, files: number): string =>
  `Changes ${places} ${places === 1 ? 'place' : 'places'} in ${files === 1 ? 'one file' : `${files} files`}.`

export const unwrittenSaid = (languages: readonly string[]): string =>
  `Visitors of the other languages (${languages.join(', ')}) see no difference: limit the experiment to those who do, or add a text for each.`

/** Pages that few see, or that show what could be; of programs a demo is what people ask for. */
const isAside = (path: string): boolean =>
  /(^|[/_.-])(admin|internal|permissions|demos|example|sample|playground|theme|blank|widgets|elements|typography|general)/i.test(
    path,
  ) || /(^|[/_.-])demo[^/]*\.html?$|(^|\/)demo\/.*\.html?$/i.test(path)

/** What is too long ends where a word does, and a quotation that is cut is closed. */
function short(text: string, most: number): string {
  if (text.length <= most) return text
  const cut = text.slice(0, most - 2).replace(/[\s,;:.]+\S*$/, '')
  return `${cut}…${cut.lastIndexOf('“') > cut.lastIndexOf('”') ? '”' : ''}`
}

/** Words at which no sentence ends: what is quoted goes on with something that is no text. */
const GOES_ON =
  /\s(?:on|of|the|an?|and|or|for|with|to|at|by|from|auf|der|die|das|und|oder|mit|für|von|zum|zur|im|bei|sur|de|du|des|la|le|les|et|ou|avec|pour|à|en|par|el|los|las|y|o|con|para|por)$/i

/** Quotations that end where a text may end, or are said to go on. Short ones are labels, which may end as they like. */
const wholeQuotes = (text: string): string =>
  text.replace(/“([^“”]{12,})”/g, (whole, words: string) =>
    words.split(' ').length > 3 && GOES_ON.test(words) ? `“${words.replace(GOES_ON, '')} …”` : whole,
  )

const variantsOf = ({ arms }: Draft): Candidate['variants'] =>
  evenly([
    { key: 'control', displayName: 'Control', trafficSplit: 0, isControl: true },
    ...arms.map(({ key, name }) => ({
      key,
      displayName: short(wholeQuotes(name), 80),
      trafficSplit: 0,
      isControl: false,
    })),
  ])
