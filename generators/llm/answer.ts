import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { Ajv } from 'ajv'
import { evenly } from '../even-split.js'
import { newTexts } from '../page/visible-text.js'
import {
  type Candidate,
  type CandidateVariant,
  type KnownEvent,
  MECHANISMS,
  type Mechanism,
  type ShownFile,
} from '../port.js'
import type { ModelAnswer } from './chat.js'
import { evidenceFrom } from './evidence.js'
import { itemsIn, objectIn } from './json-answer.js'

/** In a replacement, the text that is replaced: what goes before or behind it need not repeat it. */
export const FOUND = '⟦find⟧'

/** Endpoints with strict schemas need every property required. Lengths are checked afterwards. */
const record = <T extends TProperties>(properties: T) =>
  Type.Object(properties, { additionalProperties: false })
const text = (description?: string) => Type.String(description === undefined ? {} : { description })
const list = <T extends TSchema>(items: T, description?: string) =>
  Type.Array(items, description === undefined ? {} : { description })
const oneOf = <T extends string>(...values: readonly T[]) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values] })

const EDIT = record({
  path: text(),
  find: text('copied from the file, and in it exactly once'),
  replace: text(`${FOUND} in it means the text of find`),
})
export type ModelEdit = Static<typeof EDIT>

const IDEA = record({
  name: text('what changes, in at most 100 characters'),
  problem: text('what goes wrong for visitors today'),
  evidence: text('the file or the figure that shows it'),
  mechanism: oneOf(...MECHANISMS),
  hypothesis: text('If we …, then …, because ….'),
  against: text('the best argument against it'),
  anchor: text('the element and its words, as: button "Sign up"'),
  topics: list(text(), 'two to five words about place and subject'),
  variants: list(
    record({ name: text('what reviewers call it, at most 80 characters'), edits: list(EDIT) }),
    'the alternatives, without the control: 1 to 4',
  ),
  plain: list(EDIT, 'edits that all variants need and the control does not show'),
  targets: list(
    record({
      eventName: text('one of the known events if one fits'),
      direction: oneOf('increase', 'decrease'),
      when: text('when the site has to send it'),
    }),
    '1 to 3, the one that decides first',
  ),
})
/** An idea as the model writes it, with the number of the refused idea that it corrects. */
export type ModelIdea = Static<typeof IDEA> & { number?: number }

const PLACES = list(record({ path: text(), why: text() }))
const PATHS = list(text(), 'further files to see, mostly none')

const CHOICE_SCHEMA = record({ site: text(), ladder: list(text()), places: PLACES, read: PLACES })
export type ChoiceAnswer = Static<typeof CHOICE_SCHEMA>
/** The model's view of a site after the survey. */
export type SiteBrief = Omit<ChoiceAnswer, 'read'>

const FAULT = record({ path: text(), what: text('in a sentence') })
const FAULTS = list(FAULT, 'plain faults of the site that need no experiment, mostly none')
const IDEAS_SCHEMA = record({ ideas: list(IDEA), read: PATHS, faults: FAULTS })
const REPAIRS_SCHEMA = record({
  ideas: list(record({ number: Type.Integer(), ...IDEA.properties })),
  read: PATHS,
})

const REVIEW = record({
  number: Type.Integer(),
  verdict: oneOf('worth', 'harmless', 'silly'),
  why: text(),
})
export type Review = Static<typeof REVIEW>
const REVIEWS_SCHEMA = record({ reviews: list(REVIEW) })

const REVISION_SCHEMA = record({
  proposal: Type.Union([IDEA, Type.Null()], { description: 'null if it cannot be done' }),
  shares: list(Type.Integer(), 'percent of traffic, the control first; they add up to 100'),
  message: text('what was changed, or why nothing'),
  read: PATHS,
})
export type RevisionAnswer = Static<typeof REVISION_SCHEMA>

/** The schemas of answers, with the names that endpoints require. */
export const CHOICE = { name: 'choice', schema: CHOICE_SCHEMA }
export const IDEAS = { name: 'ideas', schema: IDEAS_SCHEMA }
export const REPAIRS = { name: 'repairs', schema: REPAIRS_SCHEMA }
export const REVIEWS = { name: 'reviews', schema: REVIEWS_SCHEMA }
export const REVISION = { name: 'revision', schema: REVISION_SCHEMA }

/** Endpoints without schemas add fields that were not asked for. */
const ajv = new Ajv({ strictSchema: true, removeAdditional: true, allErrors: true })
const isChoice = ajv.compile<ChoiceAnswer>(CHOICE_SCHEMA)
const isIdeas = ajv.compile<{ ideas: unknown[]; read?: unknown; faults?: unknown }>({
  type: 'object',
  required: ['ideas'],
  properties: { ideas: { type: 'array' } },
})
const isIdea = ajv.compile<ModelIdea>(IDEA)
const isFault = ajv.compile<Static<typeof FAULT>>(FAULT)
const isReviews = ajv.compile<{ reviews: Review[] }>(REVIEWS_SCHEMA)
const isRevision = ajv.compile<RevisionAnswer>(REVISION_SCHEMA)

export const parseChoice = ({ text: said }: ModelAnswer): ChoiceAnswer | null =>
  objectIn(said, isChoice) ?? null

/** An idea that does not match the schema, and why. */
export type MalformedIdea = Pick<ModelIdea, 'number' | 'name'> & { given: object; message: string }

export interface IdeasAnswer {
  ideas: ModelIdea[]
  malformed: MalformedIdea[]
  read: string[]
  faults: Static<typeof FAULT>[]
}

/** The ideas of an answer. Of one that is cut off, the ideas that are whole. `null` if it has no ideas. */
export function parseIdeas({ text, isCut }: ModelAnswer): IdeasAnswer | null {
  const said = withMechanisms(withDirections(text))
  const whole = objectIn(said, isIdeas)
  const ideas = whole?.ideas ?? (isCut ? itemsIn(said, 'ideas') : undefined)
  if (ideas === undefined || (whole === undefined && ideas.length === 0)) return null
  const valid: ModelIdea[] = []
  const malformed: MalformedIdea[] = []
  for (const given of ideas) {
    const one = withDefaults(given)
    if (isIdea(one) && hasMeasure(one)) valid.push({ ...numbered(given), ...one })
    else malformed.push(malformedBy(one, Object(given)))
  }
  const read = Array.isArray(whole?.read) ? whole.read.filter((one) => typeof one === 'string') : []
  const faults = Array.isArray(whole?.faults) ? whole.faults.filter((one) => isFault(one)) : []
  return { ideas: valid, malformed, read, faults }
}

/** Endpoints without schemas leave out empty fields. */
const withDefaults = (idea: unknown): unknown =>
  typeof idea === 'object' && idea !== null
    ? { ...{ plain: [], topics: [], against: '', problem: '', evidence: '', anchor: '' }, ...idea }
    : idea

/** Other words for mechanisms, by their beginnings. */
const SYNONYMS: readonly [RegExp, Mechanism][] = [
  [/^(trust|credib|authority|testimon|social)/, 'proof'],
  [/^(risk|reassur|guarant|safety|anxiety)/, 'risk reversal'],
  [/^(default|preselect)/, 'default choice'],
  [/^(order|position|promin|salien|visib|hierarch|sequence|placement)/, 'order'],
  [/^(effort|eas|simpl|frictionless|convenien)/, 'friction'],
  [/^(scarc|deadline)/, 'urgency'],
  [/^(specific|concrete|detail)/, 'specificity'],
  [/^(clear|compreh|understand|relevan)/, 'clarity'],
]

/** `Social_proof` is `proof`. A word that means none of the mechanisms stays, and is refused. */
function mechanismOf(given: string): string {
  const words = given.toLowerCase().match(/[a-z]+/g) ?? []
  const said = words.join(' ')
  const named =
    MECHANISMS.find((one) => one === said) ?? MECHANISMS.find((one) => words.some((word) => word === one))
  const meant = SYNONYMS.find(([form]) => words.some((word) => form.test(word)))?.[1]
  return named ?? meant ?? given
}

const UP = 'up|increas|higher|more|ris|grow|maximi|\\+'
const DOWN = 'down|decreas|lower|less|fewer|fall|reduc|minimi|-'
const DIRECTION = new RegExp(`("direction"\\s*:\\s*")(?:(${UP})|(?:${DOWN}))\\w*"`, 'gi')
/** Models write other words for the two directions. */
const withDirections = (said: string): string =>
  said.replace(DIRECTION, (_, key: string, up?: string) => `${key}${up ? 'increase' : 'decrease'}"`)

const withMechanisms = (said: string): string =>
  said.replace(
    /("mechanism"\s*:\s*")([^"\\]{1,60})"/g,
    (_, key: string, given: string) => `${key}${mechanismOf(given)}"`,
  )

/** An idea that does not match the schema, with the place that does not. */
function malformedBy(idea: unknown, given: { name?: unknown }): MalformedIdea {
  const why = isIdea(idea) ? 'a text or a list is empty or too long' : ajv.errorsText(isIdea.errors)
  const name = typeof given.name === 'string' ? given.name.slice(0, 200) : 'An idea without a name'
  return { ...numbered(given), name, given, message: `its form is not the one that was asked for: ${why}` }
}

const numbered = (idea: unknown): { number?: number } =>
  typeof idea === 'object' && idea !== null && 'number' in idea && typeof idea.number === 'number'
    ? { number: idea.number }
    : {}

export const parseReviews = ({ text: said }: ModelAnswer): Review[] | null =>
  objectIn(said, isReviews)?.reviews ?? null

export function parseRevision({ text: said }: ModelAnswer): RevisionAnswer | null {
  const answer = objectIn(withMechanisms(withDirections(said)), isRevision)
  return answer !== undefined && (answer.proposal === null || hasMeasure(answer.proposal)) ? answer : null
}

/** Whether the lengths of an idea are within what the API accepts. */
const hasMeasure = ({ name, hypothesis, variants, plain, targets, anchor }: ModelIdea): boolean =>
  isLine(name, 200) &&
  hypothesis.trim() !== '' &&
  hypothesis.length <= 2000 &&
  anchor.length <= 300 &&
  variants.length >= 1 &&
  variants.length <= 7 &&
  variants.every(({ name, edits }) => isLine(name, 100) && edits.length >= 1 && edits.length <= 20) &&
  plain.length <= 20 &&
  targets.length >= 1 &&
  targets.length <= 3 &&
  targets.every(({ eventName, when }) => isLine(eventName, 200) && when.length <= 300)

const isLine = (line: string, most: number): boolean =>
  line.trim() !== '' && line.length <= most && !/\p{Cc}/u.test(line)

/**
 * The candidate of an idea. Shares are even unless valid ones are given. Its priority is set by a review.
 * @param shown the files that the model has read, which may state what the new texts say
 */
export function candidateOfAnswer(
  written: ModelIdea,
  vocabulary: readonly KnownEvent[],
  shown: readonly ShownFile[],
  shares?: readonly number[],
): Candidate {
  const keyed = written.variants.map((one, index) => ({
    ...one,
    key: String.fromCharCode('b'.charCodeAt(0) + index),
  }))
  const paths = pathsOf(written)
  const files = paths.map((path) => ({
    path,
    edits: [
      ...editsOf(path, written.plain),
      ...keyed.flatMap(({ key, edits }) => editsOf(path, edits).map((edit) => ({ ...edit, variant: key }))),
    ],
  }))
  const targets = written.targets.filter(
    ({ eventName }, index, all) => all.findIndex((other) => other.eventName === eventName) === index,
  )
  const missing = targets.find(({ eventName }) => !vocabulary.some((event) => event.eventName === eventName))
  const anchor = written.anchor.trim()
  return {
    name: written.name,
    mechanism: written.mechanism,
    ruleId: '',
    hypothesis: written.hypothesis,
    surfaces: paths.map((path, index) => ({ path, anchor: index === 0 && anchor !== '' ? anchor : null })),
    topics: written.topics.slice(0, 20),
    files,
    variants: shared(
      [
        { key: 'control', displayName: 'Control', trafficSplit: 0, isControl: true },
        ...keyed.map(({ key, name }) => ({ key, displayName: name, trafficSplit: 0, isControl: false })),
      ],
      shares,
    ),
    alternatives: [...new Set(keyed.flatMap(({ key }) => newTexts(files, key)))],
    conversionTargets: targets.map(({ eventName, direction }) => ({
      eventName,
      name: eventName,
      direction,
      windowHours: 168,
      filters: [],
    })),
    evidence: evidenceFrom(files, shown),
    eventToSend:
      missing === undefined || missing !== targets[0]
        ? null
        : { eventName: missing.eventName, when: missing.when },
    priority: 'medium',
    score: 1,
    reasons: [
      written.problem,
      ...(written.evidence.trim() === '' ? [] : [`Evidence: ${written.evidence}`]),
      ...(written.against.trim() === '' ? [] : [`Against it: ${written.against}`]),
    ].filter((reason) => reason.trim() !== ''),
  }
}

const editsOf = (path: string, edits: readonly ModelEdit[]): { find: string; replace: string }[] =>
  edits
    .filter((edit) => edit.path === path)
    .map(({ find, replace }) => ({ find, replace: replace.replaceAll(FOUND, () => find) }))

/** The files that an idea changes. */
export const pathsOf = ({ variants, plain }: ModelIdea): string[] => [
  ...new Set([...variants.flatMap(({ edits }) => edits), ...plain].map(({ path }) => path)),
]

function shared(variants: CandidateVariant[], shares: readonly number[] | undefined): CandidateVariant[] {
  const fits =
    shares?.length === variants.length &&
    shares.every((share) => share >= 0) &&
    shares.reduce((sum, share) => sum + share, 0) === 100
  return fits
    ? variants.map((one, index) => ({ ...one, trafficSplit: shares[index] ?? 0 }))
    : evenly(variants)
}
