import type { Candidate, Generator, Proposal, RefineRequest, Revised, Revision } from '../../port.js'
import { evenly } from '../../shares.js'
import type { Locale } from '../locales.js'
import { withEvent } from '../targets.js'
import type { Language } from '../words/language.js'
import { agreeing } from './agree.js'
import { elsewhere } from './elsewhere.js'
import { type Instruction, instructionsOf } from './instructions.js'
import { localesOf, withoutUnshown } from './keyed.js'
import { freeKey, MAX_VARIANTS, unspoken, withCopy, without } from './variants.js'
import { longer, otherWords, reworded, type Saying, sayingsOf, shorter, translated } from './wording.js'

const UNDERSTANDS =
  'Understood are: shorter; longer; other words in quotes; German, French, Spanish or English instead; drop a variant; more variants; ' +
  'another split (as 70/30); measure another event; another surface. Nothing was changed.'

/** What an instruction made of a proposal, and a line that says so; or why nothing. */
type Step = { ok: true; proposal: Proposal; said: string } | { ok: false; message: string }

/** A proposal with the files of texts that it writes into. */
interface Written {
  proposal: Proposal
  locales: readonly Locale[]
}

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
  let locales = await localesOf(proposal, request.repository)
  const said: string[] = []
  for (const instruction of understood.instructions) {
    signal?.throwIfAborted()
    let step: Step
    if (instruction.kind === 'surface') {
      const other = await elsewhere(request, instruction.where, propose, signal)
      if (typeof other === 'string') step = refuse(other)
      else {
        moved = other
        locales = await localesOf(other, request.repository)
        step = {
          ok: true,
          proposal: { ...other, conversionTargets: now.conversionTargets, priority: now.priority },
          said: `moved to ${other.surfaces[0]?.path ?? 'another place'}`,
        }
      }
    } else step = apply({ proposal: now, locales }, instruction, request)
    if (!step.ok) return refuse(`${step.message} Nothing was changed.`)
    now = step.proposal
    said.push(step.said)
  }
  return {
    ok: true,
    candidate: revision({ proposal: now, locales }, moved, request),
    summary: `${said.join('; ')}.`,
  }
}

const short = (text: string): string => (text.length > 120 ? `${text.slice(0, 119)}…` : text)

function apply(
  written: Written,
  instruction: Exclude<Instruction, { kind: 'surface' }>,
  request: RefineRequest,
): Step {
  switch (instruction.kind) {
    case 'language':
      return inLanguage(written, instruction.language)
    case 'drop':
      return drop(written, instruction.variants)
    case 'no variant':
      return refuse(notThere(written.proposal, instruction.named))
    case 'wordings':
      return wordings(written, instruction.words)
    case 'words':
      return inWords(written, instruction.words, instruction.variant)
    case 'length':
      return inLength(written, instruction.by, instruction.variant)
    case 'more':
      return more(written, instruction.words, instruction.count)
    case 'split':
      return split(written.proposal, instruction.shares)
    case 'target':
      return aim(written.proposal, instruction, request)
  }
}

const listed = (words: readonly string[]): string => words.join(', ')

function notThere({ variants }: Proposal, named: string): string {
  const others = variants.filter(({ isControl }) => !isControl).map(({ key }) => key)
  return variants.some(({ key, isControl }) => isControl && key === named)
    ? `The control stays as the code has it; its alternatives are: ${listed(others)}.`
    : `There is no variant “${named}”; there are: ${listed(others)}.`
}

const NO_WORDS = 'No variant of this proposal writes words of its own.'

/** Other words for each of some sayings. All of them change, or it fails. */
function each(
  { proposal, locales }: Written,
  sayings: readonly Saying[],
  words: (saying: Saying) => string | null,
  fails: (saying: Saying) => string,
): Step {
  let now = proposal
  const said: string[] = []
  if (sayings.length === 0) return refuse(NO_WORDS)
  for (const { variant: key, words: before } of sayings) {
    const saying = sayingsOf(now, locales).find((one) => one.variant === key && one.words === before)
    if (saying === undefined) continue
    const other = words(saying)
    if (other === null) return refuse(fails(saying))
    const next = reworded(now, saying, other, locales)
    if (next === null) return refuse(`“${short(other)}” cannot be written there.`)
    now = next
    said.push(`${key} says “${short(other)}”`)
  }
  return { ok: true, proposal: now, said: said.join(', ') }
}

/** What a variant says, or all of them where none is named. */
const sayingsFor = ({ proposal, locales }: Written, variant: string | null): Saying[] =>
  sayingsOf(proposal, locales).filter((one) => variant === null || one.variant === variant)

const inLength = (written: Written, by: 'shorter' | 'longer', variant: string | null): Step =>
  each(
    written,
    sayingsFor(written, variant),
    (saying) => (by === 'shorter' ? shorter(saying) : longer(saying)),
    ({ words }) => `No ${by} way to say “${short(words)}” is known; put the words that are wanted in quotes.`,
  )

const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'German',
  fr: 'French',
  es: 'Spanish',
}

const inLanguage = (written: Written, language: Language): Step =>
  each(
    written,
    sayingsFor(written, null),
    (saying) => translated(saying, language),
    ({ words, keyed }) =>
      keyed === undefined
        ? `No ${LANGUAGE_NAMES[language]} for “${short(words)}” is known; put the ${LANGUAGE_NAMES[language]} words in quotes.`
        : `“${short(words)}” stands under a key, with a text for each language of the site.`,
  )

/** The first text that each variant changes: of a heading and what goes with it the heading. */
const leadsOf = (sayings: readonly Saying[]): Saying[] =>
  sayings.filter((one, index) => sayings.findIndex(({ variant }) => variant === one.variant) === index)

/** Words as given: for the variant that is named, one for each alternative or each text, or the second in the place of the first. */
function inWords(written: Written, words: readonly string[], variant: string | null): Step {
  const { proposal } = written
  const sayings = sayingsFor(written, variant)
  const [first = '', second] = words
  const known = sayings.filter((one) => one.words === first)
  if (known.length > 0 && second !== undefined && words.length === 2)
    return each(
      written,
      known,
      () => second,
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
  const meant = given.length === sayings.length ? sayings : leadsOf(sayings)
  if (given.length !== meant.length)
    return refuse(
      `It is not clear which words are meant: the proposal says ${sayings.map((one) => `“${short(one.words)}” (${one.variant})`).join(', ')}. Name the variant, or quote the old words and then the new ones.`,
    )
  let at = 0
  return each(
    written,
    meant,
    () => given[at++] ?? null,
    () => '',
  )
}

function drop({ proposal, locales }: Written, keys: readonly string[]): Step {
  const gone = proposal.variants.filter(({ key, isControl }) => !isControl && keys.includes(key))
  if (gone.length === 0) return refuse('There is only one alternative already.')
  if (proposal.variants.length - gone.length < 2)
    return refuse('An experiment needs an alternative beside the control, and this is the only one.')
  const left = gone.reduce((now, { key }) => without(now, key), proposal)
  const said = gone.map(({ key }) => ({
    key,
    words: sayingsOf(proposal, locales)
      .filter(({ variant }) => variant === key)
      .map(({ words }) => words),
  }))
  return {
    ok: true,
    proposal: { ...unspoken(proposal, left, said), files: withoutUnshown(proposal, left, locales) },
    said: `without ${gone.map(({ displayName }) => `“${displayName}”`).join(', ')}`,
  }
}

/** Two or more variants with these words, in this order, in the place of the alternatives that there are. */
function wordings(written: Written, words: readonly string[]): Step {
  const { proposal, locales } = written
  const [first, ...others] = proposal.variants.filter(({ isControl }) => !isControl)
  const [one = '', ...rest] = words
  if (new Set(words.map((said) => said.toLowerCase())).size < words.length)
    return refuse('Two of these variants would say the same.')
  if (words.length >= MAX_VARIANTS) return refuse(`An experiment has at most ${MAX_VARIANTS} variants.`)
  let now = written
  if (others.length > 0) {
    const fewer = drop(
      now,
      others.map(({ key }) => key),
    )
    if (!fewer.ok) return fewer
    now = { proposal: fewer.proposal, locales }
  }
  const [lead] = leadsOf(sayingsFor(now, first?.key ?? null))
  if (lead === undefined) return refuse(NO_WORDS)
  const begun = each(
    now,
    [lead],
    () => one,
    () => '',
  )
  if (!begun.ok) return begun
  const named = begun.proposal.variants.map((variant) =>
    variant.key === lead.variant ? { ...variant, displayName: one.slice(0, LONGEST_NAME) } : variant,
  )
  const step = more({ proposal: { ...begun.proposal, variants: named }, locales }, rest, rest.length)
  return step.ok ? { ...step, said: `${begun.said}, ${step.said}` } : step
}

const LONGEST_NAME = 100

/** Alternatives that say the same in other words, or the words that are given, where the first one writes its text. */
function more({ proposal, locales }: Written, given: readonly string[], count: number): Step {
  const sayings = sayingsOf(proposal, locales)
  const [model] = sayings
  if (model === undefined) return refuse(`${NO_WORDS} Only wordings can be added.`)
  const own = sayings.filter(({ variant }) => variant === model.variant)
  if (own.length > 1 && given.length === 0)
    return refuse(
      'Each variant of this proposal writes several texts; put the words of further ones in quotes.',
    )
  const taken = new Set(
    [model.control, ...leadsOf(sayings).map(({ words }) => words)].map((one) => one?.toLowerCase()),
  )
  const fresh = (given.length > 0 ? given : otherWords(model, null)).filter(
    (one) => !taken.has(one.toLowerCase()),
  )
  const known = given.find((one) => !fresh.includes(one))
  if (known !== undefined) return refuse(`“${short(known)}” is said already.`)
  if (fresh.length === 0)
    return refuse(
      `No further way to say “${short(model.words)}” is known; put the words that are wanted in quotes.`,
    )
  if (proposal.variants.length + Math.min(count, fresh.length) > MAX_VARIANTS)
    return refuse(`An experiment has at most ${MAX_VARIANTS} variants.`)
  let now = proposal
  const said: string[] = []
  for (const words of fresh.slice(0, count)) {
    const key = freeKey(now)
    const copied = withCopy(now, model.variant, { key, displayName: model.words })
    const saying = sayingsOf(copied, locales).find((one) => one.variant === key && one.words === model.words)
    const next =
      saying === undefined ? null : reworded({ ...copied, name: '', hypothesis: '' }, saying, words, locales)
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
    }),
    said: `measured by \`${eventName}\`${direction === 'decrease' ? ', which is to decrease' : ''}`,
  }
}

function revision(
  { proposal, locales }: Written,
  moved: Candidate | null,
  { vocabulary }: RefineRequest,
): Revision {
  const { name, mechanism, surfaces, files, variants, conversionTargets, priority } = proposal
  const from = moved ?? proposal
  return {
    name,
    mechanism,
    surfaces,
    files,
    variants,
    conversionTargets,
    priority,
    pattern: from.pattern ?? '',
    topics: from.topics ?? [],
    ...(from.evidence === undefined ? {} : { evidence: from.evidence }),
    alternatives: sayingsOf(proposal, locales).map(({ words }) => words),
    score: moved?.score ?? 0,
    ...agreeing(proposal, vocabulary, locales),
  }
}
