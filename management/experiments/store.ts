import { legalFrom, resultingStatus, type Transition } from '../../domain/lifecycle.js'
import { UUID_PATTERN } from '../../domain/uuid.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { jsonColumn } from '../../postgres/driver/json-column.js'
import { found } from '../domain-errors.js'
import { foldForSearch } from '../search.js'
import type { ExperimentBasics, ExperimentPullRequest, ExperimentRow, FileChange, Snapshot } from './types.js'

type Queries = Sql | Transaction

/** Every column but `changes` and `snapshot`, which can be large. */
export const experimentColumns = (sql: Queries) => sql`
  e.id, e.key, e.name, e.mechanism, e.notes, e.hypothesis, e.kind, e.test_type as "testType", e.status, e.priority, e.origin,
  e.experiment_run_id as "experimentRunId", e.variants, e.conversion_targets as "conversionTargets", e.sizing, e.surfaces,
  e.pull_request as "pullRequest", e.cleanup_pull_request as "cleanupPullRequest", e.dismissal,
  e.rejected_stage as "rejectedStage", e.decision_outcome as "decisionOutcome", e.decision_variant as "decisionVariant",
  e.decision_reason as "decisionReason", e.decided_at as "decidedAt", e.decision_person_id as "decisionPersonId", e.settles_at as "settlesAt",
  ${measurementColumn(sql)} as measurements,
  e.created_at as "createdAt", e.updated_at as "updatedAt", e.started_at as "startedAt", e.ended_at as "endedAt"`

const measurementColumn = (sql: Queries) => sql`(
  select jsonb_build_object('usersExposed', m.users_exposed, 'estimatedLift', m.estimated_lift, 'confidence', m.confidence,
    'asOf', to_char(m.measured_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  from experiment_measurements m where m.experiment_id = e.id)`

/** A reference that looks like a UUID is an id, because keys must not look like one. */
function matches(sql: Queries, workspaceId: string, reference: string) {
  return UUID_PATTERN.test(reference)
    ? sql`e.workspace_id = ${workspaceId} and e.id = ${reference}`
    : sql`e.workspace_id = ${workspaceId} and e.key = ${reference}`
}

/** @param reference an id or a key */
export async function lookUpExperiment(
  sql: Queries,
  workspaceId: string,
  reference: string,
): Promise<ExperimentRow | undefined> {
  const rows = await sql<ExperimentRow[]>`
    select ${experimentColumns(sql)} from experiments e where ${matches(sql, workspaceId, reference)}`
  return rows[0]
}

/** Throws NOT_FOUND. */
export async function findExperiment(
  sql: Queries,
  workspaceId: string,
  reference: string,
): Promise<ExperimentRow> {
  return found(await lookUpExperiment(sql, workspaceId, reference), 'experiment')
}

/** With the changes of its pull request, and what they were written against. */
export type PlannedExperiment = ExperimentRow & { changes: FileChange[]; snapshot: Snapshot | null }

/** Throws NOT_FOUND. */
export async function findExperimentWithChanges(
  sql: Queries,
  workspaceId: string,
  reference: string,
): Promise<PlannedExperiment> {
  const rows = await sql<PlannedExperiment[]>`
    select ${experimentColumns(sql)}, e.changes, e.snapshot from experiments e
    where ${matches(sql, workspaceId, reference)}`
  return found(rows[0], 'experiment')
}

/** Locks an experiment until the transaction ends. Undefined if there is none. */
export async function lockExperimentIfExists(
  tx: Transaction,
  workspaceId: string,
  reference: string,
): Promise<ExperimentRow | undefined> {
  const rows = await tx<ExperimentRow[]>`
    select ${experimentColumns(tx)} from experiments e where ${matches(tx, workspaceId, reference)} for update`
  return rows[0]
}

/** Locks an experiment until the transaction ends. Throws NOT_FOUND. */
export async function lockExperiment(
  tx: Transaction,
  workspaceId: string,
  reference: string,
): Promise<ExperimentRow> {
  return found(await lockExperimentIfExists(tx, workspaceId, reference), 'experiment')
}

/** Locks the proposals of a workspace, but not those of one run, in the order of their ids. */
export async function lockPending(
  tx: Transaction,
  workspaceId: string,
  exceptRunId: string,
): Promise<{ id: string }[]> {
  return tx<{ id: string }[]>`
    select id from experiments
    where workspace_id = ${workspaceId} and status = 'proposed' and experiment_run_id is distinct from ${exceptRunId}
    order by id for update`
}

/** A decision that waits for late conversions. */
export interface DueDecision {
  readonly id: string
  readonly workspaceId: string
  readonly settlesAt: Date
}

/** Decisions that settle until a time, of all workspaces: the page after a row. */
export async function findDueDecisions(
  sql: Sql,
  until: Date,
  after: Pick<DueDecision, 'id' | 'settlesAt'>,
  limit: number,
): Promise<DueDecision[]> {
  return sql<DueDecision[]>`
    select id, workspace_id as "workspaceId", settles_at as "settlesAt" from experiments
    where status = 'settling' and settles_at <= ${until} and (settles_at, id) > (${after.settlesAt}, ${after.id})
    order by settles_at, id limit ${limit}`
}

export type NewExperiment = Omit<ExperimentBasics, 'sizing'> & {
  readonly sizing?: ExperimentBasics['sizing']
  readonly changes: readonly FileChange[]
  /** Left out if it is not known yet. */
  readonly snapshot?: Snapshot | null
  readonly at: Date
}

/** Undefined if the key is taken. */
export async function insertExperiment(
  tx: Queries,
  workspaceId: string,
  row: NewExperiment,
): Promise<ExperimentRow | undefined> {
  const rows = await tx<ExperimentRow[]>`
    insert into experiments as e (id, workspace_id, key, name, mechanism, notes, hypothesis, search_text, kind, test_type, status,
      priority, origin, experiment_run_id, variants, conversion_targets, sizing, surfaces, changes, snapshot, created_at, updated_at)
    values (${row.id}, ${workspaceId}, ${row.key}, ${row.name}, ${row.mechanism}, ${row.notes}, ${row.hypothesis},
      ${searchTextOf(row)}, ${row.kind}, ${row.testType}, ${row.status}, ${row.priority}, ${row.origin},
      ${row.experimentRunId}, ${jsonColumn(tx, row.variants)}, ${jsonColumn(tx, row.conversionTargets)},
      ${row.sizing ? jsonColumn(tx, row.sizing) : null}, ${jsonColumn(tx, row.surfaces)}, ${jsonColumn(tx, row.changes)}, ${row.snapshot ? jsonColumn(tx, row.snapshot) : null}, ${row.at}, ${row.at})
    on conflict on constraint experiments_key do nothing
    returning ${experimentColumns(tx)}`
  return rows[0]
}

/** Those of the given keys that are taken. */
export async function takenKeys(
  sql: Queries,
  workspaceId: string,
  keys: readonly string[],
): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select key from experiments where workspace_id = ${workspaceId} and key = any(${[...keys]})`
  return rows.map((row) => row.key)
}

export type EditableFields = Pick<
  ExperimentRow,
  'name' | 'mechanism' | 'notes' | 'hypothesis' | 'priority' | 'variants' | 'conversionTargets' | 'sizing'
>

export async function updateFields(
  tx: Transaction,
  workspaceId: string,
  row: ExperimentRow,
  fields: EditableFields,
  at: Date,
): Promise<ExperimentRow> {
  const rows = await tx<ExperimentRow[]>`
    update experiments e set name = ${fields.name}, mechanism = ${fields.mechanism}, notes = ${fields.notes},
      hypothesis = ${fields.hypothesis}, priority = ${fields.priority}, variants = ${jsonColumn(tx, fields.variants)},
      conversion_targets = ${jsonColumn(tx, fields.conversionTargets)},
      sizing = ${fields.sizing ? jsonColumn(tx, fields.sizing) : null}, updated_at = ${at},
      search_text = ${searchTextOf({ ...fields, key: row.key })}
    where e.workspace_id = ${workspaceId} and e.id = ${row.id}
    returning ${experimentColumns(tx)}`
  return found(rows[0], 'experiment')
}

/** The fields that a revision replaces. */
export type Rewritten = Pick<
  NewExperiment,
  'name' | 'mechanism' | 'notes' | 'hypothesis' | 'variants' | 'conversionTargets' | 'surfaces' | 'changes'
> & { readonly snapshot: Snapshot }

/** Writes a revision of a locked proposal. Always moves `updatedAt`, so that readers notice the revision. */
export async function rewriteExperiment(
  tx: Transaction,
  workspaceId: string,
  before: ExperimentRow,
  fields: Rewritten,
  at: Date,
): Promise<void> {
  await tx`
    update experiments set name = ${fields.name}, mechanism = ${fields.mechanism}, notes = ${fields.notes},
      hypothesis = ${fields.hypothesis},
      variants = ${jsonColumn(tx, fields.variants)}, conversion_targets = ${jsonColumn(tx, fields.conversionTargets)},
      surfaces = ${jsonColumn(tx, fields.surfaces)}, changes = ${jsonColumn(tx, fields.changes)},
      snapshot = ${jsonColumn(tx, fields.snapshot)}, search_text = ${searchTextOf({ ...before, ...fields })},
      updated_at = greatest(${at}, updated_at + interval '1 millisecond')
    where workspace_id = ${workspaceId} and id = ${before.id}`
}

const TRANSITION_COLUMNS = {
  dismissal: 'dismissal',
  rejectedStage: 'rejected_stage',
  decisionOutcome: 'decision_outcome',
  decisionVariant: 'decision_variant',
  decisionReason: 'decision_reason',
  decidedAt: 'decided_at',
  decisionPersonId: 'decision_person_id',
  settlesAt: 'settles_at',
  startedAt: 'started_at',
  endedAt: 'ended_at',
} as const satisfies Partial<Record<keyof ExperimentRow, string>>

/** Fields that a transition writes beside the status. A field that is left out stays as it is. */
export type TransitionFields = Partial<Pick<ExperimentRow, keyof typeof TRANSITION_COLUMNS>>

/** Undefined, and nothing written, if the transition is not legal any more: of two at once one wins. */
export async function transitionExperiment(
  tx: Transaction,
  workspaceId: string,
  id: string,
  step: Transition,
  at: Date,
  fields: TransitionFields = {},
): Promise<ExperimentRow | undefined> {
  const columns: Record<string, string | Date | null> = { status: resultingStatus(step), updated_at: at }
  const { dismissal, ...plain } = fields
  for (const [field, value] of Object.entries(plain))
    columns[TRANSITION_COLUMNS[field as keyof typeof plain]] = value
  const rows = await tx<ExperimentRow[]>`
    update experiments e set ${tx(columns)} ${dismissal ? tx`, dismissal = ${jsonColumn(tx, dismissal)}` : tx``}
    where e.workspace_id = ${workspaceId} and e.id = ${id} and e.status = any(${[...legalFrom(step.name)]})
    returning ${experimentColumns(tx)}`
  return rows[0]
}

/** Writes the state of a pull request, and the snapshot that it was written against if one is given. */
export async function writePullRequest(
  tx: Transaction,
  id: string,
  purpose: 'pr' | 'cleanup',
  pullRequest: ExperimentPullRequest,
  at: Date,
  snapshot?: Snapshot | undefined,
): Promise<void> {
  const column = purpose === 'pr' ? tx`pull_request` : tx`cleanup_pull_request`
  await tx`
    update experiments set ${column} = ${jsonColumn(tx, pullRequest)}, updated_at = greatest(updated_at, ${at})
      ${snapshot === undefined ? tx`` : tx`, snapshot = ${jsonColumn(tx, snapshot)}`}
    where id = ${id}`
}

/** Notes on a merged cleanup what else has to be done. */
export async function writeCleanupNote(
  tx: Transaction,
  id: string,
  note: string | null,
  at: Date,
): Promise<void> {
  await tx`
    update experiments set updated_at = greatest(updated_at, ${at}),
      cleanup_pull_request = jsonb_set(cleanup_pull_request, '{error}', coalesce(to_jsonb(${note}::text), 'null'))
    where id = ${id} and cleanup_pull_request is not null`
}

export async function writeSnapshot(tx: Transaction, id: string, snapshot: Snapshot): Promise<void> {
  await tx`update experiments set snapshot = ${jsonColumn(tx, snapshot)} where id = ${id}`
}

/** Notes of the team on dismissed proposals that touch some files, newest first. */
export async function readTeamNotes(
  sql: Queries,
  workspaceId: string,
  paths: readonly string[],
  limit: number,
): Promise<string[]> {
  const rows = await sql<{ note: string }[]>`
    select e.dismissal ->> 'note' as note from experiments e
    where e.workspace_id = ${workspaceId} and e.status = 'dismissed' and e.dismissal ->> 'note' <> ''
      and (exists (select from jsonb_array_elements(e.surfaces) s where s ->> 'path' = any(${[...paths]}))
        or exists (select from jsonb_array_elements(e.changes) c where c ->> 'path' = any(${[...paths]})))
    order by e.created_at desc, e.id desc limit ${limit}`
  return rows.map(({ note }) => note)
}

function searchTextOf(
  fields: Pick<ExperimentRow, 'key' | 'name' | 'mechanism' | 'notes' | 'hypothesis'>,
): string {
  return foldForSearch([fields.name, fields.key, fields.mechanism, fields.notes, fields.hypothesis])
}
