import { Ajv } from 'ajv'
import { evenly } from '../even-split.js'
import { newTexts } from '../page/visible-text.js'
import {
  type Candidate,
  type CandidateVariant,
  type KnownEvent,
  MECHANISMS,
  type Mechanism,
} from '../port.js'

/** A proposal as the model writes it. */
export interface ModelProposal {
  name: string
  mechanism: Mechanism
  hypothesis: string
  anchor: string
  topics: string[]
  variants: { name: string; edits: { path: string; find: string; replace: string }[] }[]
  target: { eventName: string; direction: 'increase' | 'decrease'; when: string }
  effect: number
  reason: string
}

const text = (description: string): object => ({ type: 'string', description })

/** Endpoints with strict schemas need every property required. Lengths are checked afterwards. */
const record = (properties: Readonly<Record<string, object>>): object => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
})
const list = (items: object, description?: string): object => ({
  type: 'array',
  items,
  ...(description === undefined ? {} : { description }),
})

const PROPOSAL = record({
  name: text('what changes, in at most 100 characters'),
  mechanism: { type: 'string', enum: [...MECHANISMS] },
  hypothesis: text('for whom, what change, which event goes which way, and why'),
  anchor: text('the element and its words, as: button "Sign up"'),
  topics: list({ type: 'string' }),
  variants: list(
    record({
      name: text('what reviewers call it, at most 80 characters'),
      edits: list(
        record({
          path: { type: 'string' },
          find: text('copied from the file, and in it exactly once'),
          replace: { type: 'string' },
        }),
      ),
    }),
    'the alternatives, without the control: 1 to 4',
  ),
  target: record({
    eventName: text('one of the known events where one fits'),
    direction: { type: 'string', enum: ['increase', 'decrease'] },
    when: text('when the site has to send it'),
  }),
  effect: { type: 'integer', description: 'likely effect, from 1 (small) to 5' },
  reason: text('why it is worth running, in a sentence'),
})

const BATCH_SCHEMA = record({ proposals: list(PROPOSAL) })

const REVISION_SCHEMA = record({
  proposal: { anyOf: [PROPOSAL, { type: 'null' }], description: 'null where it cannot be done' },
  shares: list({ type: 'integer' }, 'percent of traffic, the control first; they add up to 100'),
  message: text('what was changed, or why nothing'),
})

/** The schemas of answers, with the names that endpoints require. */
export const BATCH = { name: 'proposals', schema: BATCH_SCHEMA }
export const REVISION = { name: 'revision', schema: REVISION_SCHEMA }

const ajv = new Ajv({ strictSchema: true })
const isBatch = ajv.compile<{ proposals: unknown[] }>(record({ proposals: { type: 'array' } }))
const isWritten = ajv.compile<ModelProposal>(PROPOSAL)
const isRevision = ajv.compile<RevisionAnswer>(REVISION_SCHEMA)

/** The model's answer, parsed, without a Markdown fence around it. */
function parsed(said: string): unknown {
  const inner = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(said)?.[1] ?? said
  try {
    return JSON.parse(inner)
  } catch {
    return undefined
  }
}

/** The proposals that match the schema, and how many do not. `null` if the answer is not a batch. */
export function parseBatch(said: string): { proposals: ModelProposal[]; malformed: number } | null {
  const answer = parsed(said)
  if (!isBatch(answer)) return null
  const proposals = answer.proposals.filter((one): one is ModelProposal => isWritten(one) && hasMeasure(one))
  return { proposals, malformed: answer.proposals.length - proposals.length }
}

export interface RevisionAnswer {
  proposal: ModelProposal | null
  shares: number[]
  message: string
}

export function parseRevision(said: string): RevisionAnswer | null {
  const answer = parsed(said)
  return isRevision(answer) && (answer.proposal === null || hasMeasure(answer.proposal)) ? answer : null
}

/** Whether the lengths of a proposal are within what the API accepts. */
const hasMeasure = ({ name, hypothesis, variants, target, effect, anchor, reason }: ModelProposal): boolean =>
  isLine(name, 200) &&
  hypothesis.trim() !== '' &&
  hypothesis.length <= 2000 &&
  anchor.length <= 300 &&
  reason.length <= 1000 &&
  effect >= 1 &&
  effect <= 5 &&
  variants.length >= 1 &&
  variants.length <= 7 &&
  variants.every(({ name, edits }) => isLine(name, 100) && edits.length >= 1 && edits.length <= 20) &&
  isLine(target.eventName, 200) &&
  target.when.length <= 300

const isLine = (line: string, most: number): boolean =>
  line.trim() !== '' && line.length <= most && !/\p{Cc}/u.test(line)

/** The candidate of a written proposal. Shares are even unless valid ones are given. */
export function candidateOfAnswer(
  written: ModelProposal,
  vocabulary: readonly KnownEvent[],
  shares?: readonly number[],
): Candidate {
  const keyed = written.variants.map((one, index) => ({
    ...one,
    key: String.fromCharCode('b'.charCodeAt(0) + index),
  }))
  const paths = [...new Set(keyed.flatMap(({ edits }) => edits.map(({ path }) => path)))]
  const files = paths.map((path) => ({
    path,
    edits: keyed.flatMap(({ key, edits }) =>
      edits
        .filter((edit) => edit.path === path)
        .map(({ find, replace }) => ({ find, replace, variant: key })),
    ),
  }))
  const { eventName, direction, when } = written.target
  const isKnown = vocabulary.some((event) => event.eventName === eventName)
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
    alternatives: keyed.flatMap(({ key }) => {
      const words = newTexts(files, key).join(' ')
      return words === '' ? [] : [words]
    }),
    conversionTargets: [{ eventName, name: eventName, direction, windowHours: 168, filters: [] }],
    eventToSend: isKnown ? null : { eventName, when },
    priority: written.effect >= 4 ? 'high' : written.effect >= 3 ? 'medium' : 'low',
    score: written.effect,
    reasons: [written.reason],
  }
}

function shared(variants: CandidateVariant[], shares: readonly number[] | undefined): CandidateVariant[] {
  const fits =
    shares?.length === variants.length &&
    shares.every((share) => share >= 0) &&
    shares.reduce((sum, share) => sum + share, 0) === 100
  return fits
    ? variants.map((one, index) => ({ ...one, trafficSplit: shares[index] ?? 0 }))
    : evenly(variants)
}
