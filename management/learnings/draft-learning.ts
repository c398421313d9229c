import { createHash } from 'node:crypto'
import { canonicalJson } from '../../domain/canonical-json.js'
import type { Results } from '../../domain/statistics/index.js'
import type { ExperimentRow } from '../experiments/index.js'
import { interpretationOf } from './interpretation.js'
import { INTERPRETATION_LENGTH, type LearningDecision, type NewLearning } from './store.js'

/** The last results of an experiment, as its learning keeps them. */
export interface FrozenResults {
  readonly results: Results
  /** Age of the oldest event that was not counted, in seconds. Null if the freeze waited for late events. */
  readonly lagSeconds: number | null
  /** Last times of an exposure and of a conversion, ISO 8601. Null if the experiment never started. */
  readonly window: {
    readonly startedAt: string | null
    readonly endedAt: string | null
    readonly measuredUntil: string | null
  }
}

/** How figures are computed (docs/experiments/results.md). */
const METHOD = {
  proportions: 'relative lift by the delta method, Welch interval',
  means: 'sums a person, capped where a percentile is given; CUPED as regression adjustment where asked for',
  confidence: 0.95,
  posterior: 'Gaussian, flat prior',
  sequential: 'asymptotic confidence sequence, tuning 5000',
  multipleComparisons: 'Holm, across the variants of a target',
  sampleRatio: 'chi-square over arms with weight, ok at p >= 0.001',
} as const

/** Versions of the evidence's form and of the statistics. */
const VERSIONS = { evidence: 2, statistics: 'gbstats 0.8.0' } as const

export interface LearningSource {
  readonly id: string
  readonly workspaceId: string
  /** With its outcome. */
  readonly experiment: ExperimentRow
  readonly decision: LearningDecision
  /** Key of the shipped variant. */
  readonly variant: string | null
  /** Reason of the decision. The interpretation begins with it. */
  readonly reason: string | null
  readonly at: Date
  readonly frozen: FrozenResults
}

/** The learning of an experiment: frozen evidence, and an interpretation as a draft. */
export function draftLearning(source: LearningSource): NewLearning {
  const { id, workspaceId, experiment, decision, variant, at } = source
  const evidence = evidenceOf(source)
  return {
    id,
    workspaceId,
    experimentId: experiment.id,
    experimentKey: experiment.key,
    title: titleOf(source),
    decision,
    variant,
    interpretation: draftOf(source),
    evidence,
    evidenceHash: hashOfEvidence(evidence),
    at,
  }
}

/** SHA-256 in hex of the evidence as canonical JSON (RFC 8785). */
export function hashOfEvidence(evidence: unknown): string {
  return createHash('sha256').update(canonicalJson(evidence)).digest('hex')
}

function draftOf({ reason, experiment, frozen, decision, variant }: LearningSource): string {
  const draft = interpretationOf({
    results: frozen.results,
    variants: experiment.variants,
    targets: experiment.conversionTargets,
    decision,
    variant,
  })
  if (reason === null || reason === '') return draft
  if (frozen.results.state === 'no_data') return reason
  return `${reason}\n\n${draft}`.slice(0, INTERPRETATION_LENGTH)
}

function titleOf({ experiment, decision, variant }: LearningSource): string {
  const shipped = experiment.variants.find(({ key }) => key === variant)?.displayName
  if (decision === 'ship') return `${experiment.name}: shipped ${shipped ?? variant}`
  return `${experiment.name}: ${decision === 'reject' ? 'rejected' : 'concluded'}`
}

function evidenceOf({ experiment, decision, variant, reason, frozen }: LearningSource) {
  return {
    experiment: {
      id: experiment.id,
      key: experiment.key,
      name: experiment.name,
      mechanism: experiment.mechanism,
      hypothesis: experiment.hypothesis,
      variants: experiment.variants.map((one, index) => ({ ...one, isControl: index === 0 })),
      conversionTargets: experiment.conversionTargets,
      startedAt: experiment.startedAt?.toISOString() ?? null,
      endedAt: experiment.endedAt?.toISOString() ?? null,
    },
    decision: {
      outcome: decision,
      variant,
      reason,
      decidedAt: experiment.decidedAt?.toISOString() ?? null,
    },
    results: frozen.results,
    window: frozen.window,
    method: METHOD,
    versions: VERSIONS,
    frozenAt: frozen.results.asOf,
    lagSeconds: frozen.lagSeconds,
  }
}
