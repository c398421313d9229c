import { createHash } from 'node:crypto'
import { canonicalJson } from '../../domain/canonical-json.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import type { ExperimentRow } from '../experiments/types.js'
import { jsonColumn } from '../json-column.js'
import { type FrozenResults, METHOD, VERSIONS } from '../results/freeze.js'
import { foldForSearch } from '../search.js'
import { INTERPRETATION_LENGTH, type LearningDecision } from './enums.js'
import { interpretationOf } from './interpretation.js'

export interface NewLearning {
  readonly id: string
  readonly workspaceId: string
  /** As it is settled. */
  readonly experiment: ExperimentRow
  readonly decision: LearningDecision
  /** The key of the variant that is shipped. */
  readonly variant: string | null
  /** What the decision was given as its reason: it begins the interpretation. */
  readonly reason: string | null
  readonly at: Date
  readonly frozen: FrozenResults
}

/** Writes an experiment up: its evidence frozen, the interpretation a draft. Once an experiment, however often it is called; false where it was there already. */
export async function writeLearning(tx: Transaction, learning: NewLearning): Promise<boolean> {
  const { experiment, decision, variant, at } = learning
  const evidence = evidenceOf(learning)
  const title = titleOf(learning)
  const interpretation = draftOf(learning)
  const { count } = await tx`
    insert into learnings (id, workspace_id, experiment_id, experiment_key, title, decision, variant, review_state, interpretation,
      evidence, evidence_hash, search_text, created_at, updated_at)
    values (${learning.id}, ${learning.workspaceId}, ${experiment.id}, ${experiment.key}, ${title}, ${decision}, ${variant},
      'draft', ${interpretation}, ${jsonColumn(tx, evidence)}, ${hashOfEvidence(evidence)},
      ${learningSearchText({ experimentKey: experiment.key, title, interpretation })}, ${at}, ${at})
    on conflict on constraint learnings_experiment do nothing`
  return count === 1
}

export async function hasLearning(sql: Sql | Transaction, experimentId: string): Promise<boolean> {
  const rows = await sql`select from learnings where experiment_id = ${experimentId}`
  return rows.length > 0
}

/** The reason in its own words, and then what the figures say, where there are any. */
function draftOf({ reason, experiment, frozen, decision, variant }: NewLearning): string {
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

/** SHA-256 in hex of the evidence as canonical JSON (RFC 8785). */
export function hashOfEvidence(evidence: unknown): string {
  return createHash('sha256').update(canonicalJson(evidence)).digest('hex')
}

export function learningSearchText(learning: {
  readonly experimentKey: string
  readonly title: string
  readonly interpretation: string
}): string {
  return foldForSearch([learning.title, learning.experimentKey, learning.interpretation])
}

function titleOf({ experiment, decision, variant }: NewLearning): string {
  const shipped = experiment.variants.find(({ key }) => key === variant)?.displayName
  if (decision === 'ship') return `${experiment.name}: shipped ${shipped ?? variant}`
  return `${experiment.name}: ${decision === 'reject' ? 'rejected' : 'concluded'}`
}

/** What the experiment was, what was decided, and what was measured: when, how and by which rules. */
function evidenceOf({ experiment, decision, variant, reason, frozen }: NewLearning) {
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
    frozenAt: frozen.frozenAt,
    lagSeconds: frozen.lagSeconds,
  }
}
