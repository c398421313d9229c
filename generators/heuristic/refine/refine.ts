import type { Candidate, Generator, Proposal, RefineRequest, Revised, Revision } from '../../port.js'
import { evenly } from '../../shares.js'
import { withEvent } from '../targets.js'
import type { Language } from '../words/language.js'
import { elsewhere } from './elsewhere.js'
import { type Instruction, instructionsOf } from './instructions.js'
import { freeKey, MOST_VARIANTS, without } from './variants.js'
import { longer, otherWords, reworded, type Saying, sayingsOf, shorter, translated } from './wording.js'

const UNDERSTANDS =
  'Understood are: shorter; longer; other words in quotes; German, French, Spanish or English instead; drop a variant; more variants; ' +
  'another split (as 70/30); measure another event; another surface. Nothing was changed.'

/** What an instruction made of a proposal, and a line that says so; or why nothing. */
type Step = { ok: true; proposal: Proposal; said: string } | { ok: false; message: string }

const refuse = (message: string): { ok: false; message: string } => ({ ok: false, message })

/** A proposal by instructions of a few kinds, all of them or none. `propose` is asked where it is to move to another surface. */
export async function refineByRules(
  request: RefineRequest,
  propose: Generator['propose'],
  signal?: AbortSignal,
): Promise<Revised> {
  const { proposal, vocabulary } = request
  const understood = instructionsOf(request.instructions, proposal, vocabulary)
  if (!understood.ok) return refuse(`“${short(understood.unclear)}” is not understood. ${UNDERSTANDS}`)
  let now = proposal
  let moved: Candidate | null = null
  const said: string[] = []
  for (const instruction of understood.instructions) {
    signal?.throwIfAborted()
    let step: Step
    if (instruction.kind === 'surface') {
      const other = await elsewhere(request, instruction.where, propose, signal)
      if (typeof other === 'string') step = refuse(other)
      else {
        moved = other
        step = {
          ok: true,
          proposal: { ...other, conversionTargets: now.conversionTargets, priority: now.priority },
          said: `moved to ${other.surfaces[0]?.path ?? 'another place'}`,
        }
      }
    } else step = apply(now, instruction, request)
    if (!step.ok) return refuse(`${step.message} Nothing was changed.`)
    now = step.proposal
    said.push(step.said)
  }
  return { ok: true, candidate: revision(now, moved, request), summary: `${said.join('; ')}.` }
}

const short = (text: string): string => (text.length > 120 ? `${text.slice(0, 119)}…` : text)

function apply(
  proposal: Proposal,
  instruction: Exclude<Instruction, { kind: 'surface' }>,
  request: RefineRequest,
): Step {
  switch (instruction.kind) {
    case 'language':
      return inLanguage(proposal, instruction.language)
    case 'drop':
      return drop(proposal, instruction.variants)
    case 'words':
      return inWords(proposal, instruction.words, instruction.variant)
    case 'length':
      return inLength(proposal, instruction.by, instruction.variant)
    case 'more':
      return more(proposal, instruction.words, instruction.count)
    case 'split':
      return split(proposal, instruction.shares)
    case 'target':
      return aim(proposal, instruction, request)
  }
}

const NO_WORDS = 'No variant of this proposal writes words of its own.'

/** Other words for each saying of a variant, or of all where none is named. All of them change, or it fails. */
function each(
  proposal: Proposal,
  variant: string | null,
  words: (saying: Saying) => string | null,
  fails: (saying: Saying) => string,
): Step {
  let now = proposal
  const said: string[] = []
  const sayings = sayingsOf(proposal).filter((one) => variant === null || one.variant === variant)
  if (sayings.length === 0) return refuse(NO_WORDS)
  for (const { variant: key, words: before } of sayings) {
    const saying = sayingsOf(now).find((one) => one.variant === key && one.words === before)
    if (saying === undefined) continue
    const other = words(saying)
    if (other === null) return refuse(fails(saying))
    const next = reworded(now, saying, other)
    if (next === null) return refuse(`“${short(other)}” cannot be written there.`)
    now = next
    said.push(`${key} says “${short(other)}”`)
  }
  return { ok: true, proposal: now, said: said.join(', ') }
}

const inLength = (proposal: Proposal, by: 'shorter' | 'longer', variant: string | null): Step =>
  each(
    proposal,
    variant,
    (saying) => (by === 'shorter' ? shorter(saying) : longer(saying)),
    ({ words }) => `No ${by} way to say “${short(words)}” is known; put the words that are wanted in quotes.`,
  )

const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'German',
  fr: 'French',
  es: 'Spanish',
}

const inLanguage = (proposal: Proposal, language: Language): Step =>
  each(
    proposal,
    null,
    (saying) => translated(saying, language),
    ({ words }) =>
      `No ${LANGUAGE_NAMES[language]} for “${short(words)}” is known; put the ${LANGUAGE_NAMES[language]} words in quotes.`,
  )

/** Words as given: for the variant that is named, one for each alternative, or the second in the place of the first. */
function inWords(proposal: Proposal, words: readonly string[], variant: string | null): Step {
  const all = sayingsOf(proposal)
  const sayings = all.filter((one) => variant === null || one.variant === variant)
  const [first = '', second] = words
  const known = sayings.find((one) => one.words === first)
  if (known !== undefined && second !== undefined && words.length === 2)
    return each(
      proposal,
      variant,
      (saying) => (saying.words === first ? second : saying.words),
      () => '',
    )
  const given = words.filter(
    (one) =>
      one !== variant &&
      proposal.variants.every(
        ({ displayName }) => displayName !== one || sayings.some((saying) => saying.words === one),
      ),
  )
  if (sayings.length === 0) return refuse(NO_WORDS)
  if (given.length !== sayings.length)
    return refuse(
      `It is not clear which words are meant: the proposal says ${sayings.map((one) => `“${short(one.words)}” (${one.variant})`).join(', ')}. Name the variant, or quote the old words and then the new ones.`,
    )
  let at = 0
  return each(
    proposal,
    variant,
    () => given[at++] ?? null,
    () => '',
  )
}

function drop(proposal: Proposal, keys: readonly string[]): Step {
  const gone = proposal.variants.filter(({ key, isControl }) => !isControl && keys.includes(key))
  if (gone.length === 0) return refuse('There is only one alternative already.')
  if (proposal.variants.length - gone.length < 2)
    return refuse('An experiment needs an alternative beside the control, and this is the only one.')
  return {
    ok: true,
    proposal: gone.reduce((now, { key }) => without(now, key), proposal),
    said: `without ${gone.map(({ displayName }) => `“${displayName}”`).join(', ')}`,
  }
}

/** Alternatives that say the same in other words, or the words that are given, where the first one writes its text. */
function more(proposal: Proposal, given: readonly string[], count: number): Step {
  const sayings = sayingsOf(proposal)
  const [model] = sayings
  if (model === undefined) return refuse(`${NO_WORDS} Only wordings can be added.`)
  const own = sayings.filter(({ variant }) => variant === model.variant)
  if (own.length > 1)
    return refuse(
      'Each variant of this proposal writes several texts; further ones have to be written by hand.',
    )
  const taken = new Set(
    [model.control, ...sayings.map(({ words }) => words)].map((one) => one?.toLowerCase()),
  )
  const fresh = (given.length > 0 ? given : otherWords(model, null)).filter(
    (one) => !taken.has(one.toLowerCase()),
  )
  if (fresh.length === 0)
    return refuse(
      `No further way to say “${short(model.words)}” is known; put the words that are wanted in quotes.`,
    )
  if (proposal.variants.length + Math.min(count, fresh.length) > MOST_VARIANTS)
    return refuse(`An experiment has at most ${MOST_VARIANTS} variants.`)
  let now = proposal
  const said: string[] = []
  for (const words of fresh.slice(0, count)) {
    const key = freeKey(now)
    const copied: Proposal = {
      ...now,
      variants: [...now.variants, { key, displayName: model.words, trafficSplit: 0, isControl: false }],
      files: now.files.map(({ path, edits }) => ({
        path,
        edits: [
          ...edits,
          ...edits
            .filter(({ variant }) => variant === model.variant)
            .map((edit) => ({ ...edit, variant: key })),
        ],
      })),
    }
    const saying = sayingsOf(copied).find(({ variant }) => variant === key)
    const next =
      saying === undefined ? null : reworded({ ...copied, name: '', hypothesis: '' }, saying, words)
    if (next === null) return refuse(`“${short(words)}” cannot be written there.`)
    now = {
      ...next,
      name: now.name,
      hypothesis: `${now.hypothesis} Variant ${key} says “${words}”.`.slice(0, 2000),
    }
    said.push(`${key} says “${short(words)}”`)
  }
  return { ok: true, proposal: { ...now, variants: evenly(now.variants) }, said: said.join(', ') }
}

function split(proposal: Proposal, shares: Extract<Instruction, { kind: 'split' }>['shares']): Step {
  const { variants } = proposal
  const done = (now: Proposal['variants']): Step => ({
    ok: true,
    proposal: { ...proposal, variants: now },
    said: `split ${now.map(({ trafficSplit }) => trafficSplit).join('/')}`,
  })
  if (shares === 'even') return done(evenly(variants))
  if (Array.isArray(shares)) {
    const sum = shares.reduce((total, share) => total + share, 0)
    if (shares.length !== variants.length || sum !== 100)
      return refuse(
        `A split has a share for each of the ${variants.length} variants, the control first, and they add up to 100; ${shares.join('/')} does not.`,
      )
    return done(variants.map((one, index) => ({ ...one, trafficSplit: shares[index] ?? 0 })))
  }
  if (shares.share > 100) return refuse('A share is at most 100 %.')
  const others = variants.filter(({ key }) => key !== shares.variant)
  const each = Math.floor((100 - shares.share) / others.length)
  const left = 100 - shares.share - each * others.length
  return done(
    variants.map((one) => ({
      ...one,
      trafficSplit:
        one.key === shares.variant ? shares.share : each + (one.key === others[0]?.key ? left : 0),
    })),
  )
}

/** Another event to measure by. One that was never received is taken where it is named outright, and the proposal says that it has to be sent. */
function aim(
  proposal: Proposal,
  { eventName, isKnown, direction }: Extract<Instruction, { kind: 'target' }>,
  { vocabulary }: RefineRequest,
): Step {
  const [first] = proposal.conversionTargets
  if (first?.eventName === eventName && (direction === null || direction === first.direction))
    return refuse(`\`${eventName}\` is measured already.`)
  if (!isKnown && vocabulary.length > 0 && !/[_:.]/.test(eventName))
    return refuse(
      `The workspace has received no event \`${eventName}\`. Most frequent are: ${[...vocabulary]
        .sort((a, b) => b.count - a.count)
        .slice(0, 8)
        .map((one) => `\`${one.eventName}\``)
        .join(', ')}.`,
    )
  return {
    ok: true,
    proposal: withEvent(proposal, {
      eventName,
      direction: direction ?? first?.direction ?? 'increase',
      isKnown,
    }),
    said: `measured by \`${eventName}\`${direction === 'decrease' ? ', which is to decrease' : ''}`,
  }
}

function revision(proposal: Proposal, moved: Candidate | null, { vocabulary }: RefineRequest): Revision {
  const { name, mechanism, hypothesis, surfaces, files, variants, conversionTargets, priority } = proposal
  const { evidence } = moved ?? proposal
  const [target] = conversionTargets
  const isKnown = target === undefined || vocabulary.some(({ eventName }) => eventName === target.eventName)
  return {
    name,
    mechanism,
    hypothesis,
    surfaces,
    files,
    variants,
    conversionTargets,
    priority,
    pattern: (moved ?? proposal).pattern ?? '',
    topics: (moved ?? proposal).topics ?? [],
    ...(evidence === undefined ? {} : { evidence }),
    alternatives: sayingsOf(proposal).map(({ words }) => words),
    eventToSend: isKnown ? null : { eventName: target.eventName, when: 'what it names has happened' },
    score: moved?.score ?? 0,
    reasons: (moved ?? proposal).reasons ?? [],
  }
}
