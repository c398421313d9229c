import { evenly } from '../even-split.js'
import type { KnownEvent, Proposal, RefineRequest, Revised, RevisedCandidate } from '../port.js'
import { reachSaid } from '../rules/candidate.js'
import { conversionTargetOf } from '../rules/targets.js'
import { type Instruction, instructionsOf } from './instructions.js'
import { freeKey, MAX_VARIANTS, withCopy, without } from './variants.js'
import { alternativesOf, reworded, type Saying, sayingsOf } from './wording.js'

const UNDERSTANDS =
  'Understood are: other words in quotes; more variants, each in quotes; drop a variant; another split (as 70/30); measure another event. Nothing was changed.'
const MAX_NAME = 100
const MAX_HYPOTHESIS = 2000

/** The proposal after an instruction with a line about it, or why it was refused. */
type Step = { ok: true; proposal: Proposal; said: string } | { ok: false; message: string }

const refuse = (message: string): { ok: false; message: string } => ({ ok: false, message })
const short = (text: string): string => (text.length > 120 ? `${text.slice(0, 119)}…` : text)

/** Carries out all instructions, or none. */
export function refineByRules({ proposal, instructions, vocabulary }: RefineRequest): Revised {
  const understood = instructionsOf(instructions, proposal, vocabulary)
  if (!understood.ok) return refuse(`“${short(understood.unclear)}” is not understood. ${UNDERSTANDS}`)
  let now = proposal
  const said: string[] = []
  for (const instruction of understood.instructions) {
    const step = apply(now, instruction, vocabulary)
    if (!step.ok) return refuse(`${step.message} Nothing was changed.`)
    now = step.proposal
    said.push(step.said)
  }
  return { ok: true, candidate: revisionOf(now, vocabulary), summary: `${said.join('; ')}.` }
}

function apply(proposal: Proposal, instruction: Instruction, vocabulary: readonly KnownEvent[]): Step {
  switch (instruction.kind) {
    case 'drop':
      return drop(proposal, instruction.variants)
    case 'no variant':
      return refuse(notThere(proposal, instruction.named))
    case 'wordings':
      return wordings(proposal, instruction.words)
    case 'words':
      return inWords(proposal, instruction.words, instruction.variant)
    case 'more':
      return more(proposal, instruction.words)
    case 'split':
      return split(proposal, instruction.shares)
    case 'target':
      return aim(proposal, instruction, vocabulary)
  }
}

function notThere({ variants }: Proposal, named: string): string {
  const others = variants.filter(({ isControl }) => !isControl).map(({ key }) => key)
  return variants.some(({ key, isControl }) => isControl && key === named)
    ? `The control stays as the code has it; its alternatives are: ${others.join(', ')}.`
    : `There is no variant “${named}”; there are: ${others.join(', ')}.`
}

const NO_WORDS = 'No variant of this proposal writes new words.'

/** Gives each of some texts other words: all of them, or it fails. */
function rewordEach(proposal: Proposal, sayings: readonly Saying[], words: readonly string[]): Step {
  let now = proposal
  const said: string[] = []
  for (const [index, { variant, words: before }] of sayings.entries()) {
    const saying = sayingsOf(now).find((one) => one.variant === variant && one.words === before)
    const other = words[index]
    if (saying === undefined || other === undefined) continue
    const next = reworded(now, saying, other)
    if (next === null) return refuse(`“${short(other)}” cannot be written there.`)
    now = next
    said.push(`${variant} says “${short(other)}”`)
  }
  return said.length === 0 ? refuse(NO_WORDS) : { ok: true, proposal: now, said: said.join(', ') }
}

/** The first text that each variant changes: the heading of a heading and its line. */
const leadsOf = (sayings: readonly Saying[]): Saying[] =>
  sayings.filter((one, index) => sayings.findIndex(({ variant }) => variant === one.variant) === index)

/** New words for the named variant, for each alternative, or the second quote in place of the first. */
function inWords(proposal: Proposal, words: readonly string[], variant: string | null): Step {
  const sayings = sayingsOf(proposal).filter((one) => variant === null || one.variant === variant)
  if (sayings.length === 0) return refuse(NO_WORDS)
  const [first = '', second] = words
  const known = sayings.filter((one) => one.words === first)
  if (known.length > 0 && second !== undefined && words.length === 2)
    return rewordEach(
      proposal,
      known,
      known.map(() => second),
    )
  // A quote that names a variant is no wording.
  const given = words.filter(
    (one) =>
      one !== variant &&
      proposal.variants.every(
        ({ displayName }) => displayName !== one || sayings.some((saying) => saying.words === one),
      ),
  )
  const meant = given.length === sayings.length ? sayings : leadsOf(sayings)
  if (given.length !== meant.length)
    return refuse(
      `It is not clear which words are meant: the proposal says ${sayings.map((one) => `“${short(one.words)}” (${one.variant})`).join(', ')}. Name the variant, or quote the old words and then the new ones.`,
    )
  return rewordEach(proposal, meant, given)
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

/** Replaces the alternatives by variants with these words, in this order. */
function wordings(proposal: Proposal, words: readonly string[]): Step {
  if (new Set(words.map((said) => said.toLowerCase())).size < words.length)
    return refuse('Two of these variants would say the same.')
  if (words.length >= MAX_VARIANTS) return refuse(`An experiment has at most ${MAX_VARIANTS} variants.`)
  const [first, ...others] = proposal.variants.filter(({ isControl }) => !isControl)
  const alone = others.reduce((now, { key }) => without(now, key), proposal)
  const [lead] = leadsOf(sayingsOf(alone).filter(({ variant }) => variant === first?.key))
  const [one = '', ...rest] = words
  if (lead === undefined) return refuse(NO_WORDS)
  const begun = rewordEach(alone, [lead], [one])
  if (!begun.ok) return begun
  const named = begun.proposal.variants.map((variant) =>
    variant.key === lead.variant ? { ...variant, displayName: one.slice(0, MAX_NAME) } : variant,
  )
  const step = more({ ...begun.proposal, variants: named }, rest)
  return step.ok ? { ...step, said: `${begun.said}, ${step.said}` } : step
}

/** Adds alternatives with these words, at the place of the first one's text. */
function more(proposal: Proposal, given: readonly string[]): Step {
  const sayings = sayingsOf(proposal)
  const [model] = sayings
  if (model === undefined) return refuse(`${NO_WORDS} Only wordings can be added.`)
  if (given.length === 0) return refuse('Put the words of the further variants in quotes.')
  const taken = new Set(
    [model.control, ...leadsOf(sayings).map(({ words }) => words)].map((one) => one?.toLowerCase()),
  )
  const known = given.find((one) => taken.has(one.toLowerCase()))
  if (known !== undefined) return refuse(`“${short(known)}” is one of the texts already.`)
  if (proposal.variants.length + given.length > MAX_VARIANTS)
    return refuse(`An experiment has at most ${MAX_VARIANTS} variants.`)
  if (model.places.some(({ file, edit }) => proposal.files[file]?.edits[edit]?.variant === undefined))
    return refuse(
      'The text stands under a key, with a text for each language; only its words can be changed.',
    )
  let now = proposal
  const said: string[] = []
  for (const words of given) {
    const key = freeKey(now)
    const copied = withCopy(now, model.variant, { key, displayName: model.words })
    const saying = sayingsOf(copied).find((one) => one.variant === key && one.words === model.words)
    const next =
      saying === undefined ? null : reworded({ ...copied, name: '', hypothesis: '' }, saying, words)
    if (next === null) return refuse(`“${short(words)}” cannot be written there.`)
    const variants = next.variants.map((one) =>
      one.key === key ? { ...one, displayName: words.slice(0, MAX_NAME) } : one,
    )
    const hypothesis = `${now.hypothesis} Variant ${key} says “${words}”.`.slice(0, MAX_HYPOTHESIS)
    now = { ...next, variants, name: now.name, hypothesis }
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

/** Measures another event. One that was never received is accepted if it looks like an event's name. */
function aim(
  proposal: Proposal,
  { eventName, isKnown, direction }: Extract<Instruction, { kind: 'target' }>,
  vocabulary: readonly KnownEvent[],
): Step {
  const [first, ...others] = proposal.conversionTargets
  const wanted = direction ?? first?.direction ?? 'increase'
  if (first?.eventName === eventName && wanted === first.direction)
    return refuse(`\`${eventName}\` is measured already.`)
  if (!isKnown && vocabulary.length > 0 && !/[_:.]/.test(eventName)) {
    const frequent = [...vocabulary].sort((a, b) => b.count - a.count).slice(0, 8)
    return refuse(
      `The workspace has received no event \`${eventName}\`. Most frequent are: ${frequent.map((one) => `\`${one.eventName}\``).join(', ')}.`,
    )
  }
  const target = conversionTargetOf(eventName, wanted, first?.windowHours ?? null)
  return {
    ok: true,
    proposal: {
      ...proposal,
      conversionTargets: [target, ...others.filter((one) => one.eventName !== eventName)],
      hypothesis: hypothesisFor(proposal.hypothesis, target),
    },
    said: `measured by \`${eventName}\`${wanted === 'decrease' ? ', which is to decrease' : ''}`,
  }
}

/** Replaces "then more visitors will write to you (`contact_sent`)" by a sentence about the new event. */
const hypothesisFor = (
  hypothesis: string,
  { eventName, direction }: Proposal['conversionTargets'][number],
): string =>
  hypothesis
    .replace(
      /\bthen [^`]*?\(?`[^`]+`\)?(?: will (?:increase|decrease))?(?=,|\.|$)/,
      () => `then \`${eventName}\` will ${direction}`,
    )
    .slice(0, MAX_HYPOTHESIS)

const REACH = /`[^`]*` (?:yet, so its reach is not known|was received (?:once|\d+ times))\.$/

/** The proposal as a candidate, with reasons and event brought up to date. */
function revisionOf(proposal: Proposal, vocabulary: readonly KnownEvent[]): RevisedCandidate {
  const { evidence, eventToSend: before = null, reasons = [], ruleId = '', topics = [], ...own } = proposal
  const [target] = own.conversionTargets
  const known = vocabulary.find(({ eventName }) => eventName === target?.eventName)
  const eventToSend =
    target === undefined || known !== undefined
      ? null
      : before?.eventName === target.eventName
        ? before
        : { eventName: target.eventName, when: 'what it names has happened' }
  return {
    ...own,
    ruleId,
    topics,
    ...(evidence === undefined ? {} : { evidence }),
    alternatives: alternativesOf(proposal),
    score: 0,
    eventToSend,
    reasons: reasons.map((reason) =>
      REACH.test(reason) && target !== undefined ? reachSaid(target.eventName, known?.count ?? 0) : reason,
    ),
  }
}
