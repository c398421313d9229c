import {
  isLegal,
  legalFrom,
  resultingStatus,
  type Transition,
  type TransitionName,
} from '../../domain/lifecycle.js'
import { UUID_PATTERN } from '../../domain/uuid.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { DomainError, notFound } from '../domain-errors.js'
import { jsonColumn } from '../json-column.js'
import { foldForSearch } from '../search.js'
import type { Change, ExperimentRow, PullRequest, Snapshot } from './types.js'

type Queries = Sql | Transaction

/** All but the changes. */
export const experimentColumns = (sql: Queries) => sql`
  e.id, e.key, e.name, e.mechanism, e.notes, e.hypothesis, e.kind, e.test_type as "testType", e.status, e.priority, e.origin,
  e.experiment_run_id as "experimentRunId", e.variants, e.conversion_targets as "conversionTargets", e.surfaces,
  e.pull_request as "pullRequest", e.cleanup_pull_request as "cleanupPullRequest", e.dismissal,
  e.rejected_stage as "rejectedStage", e.decision_outcome as "decisionOutcome", e.decision_variant as "decisionVariant",
  e.decision_reason as "decisionReason", e.decided_at as "decidedAt", e.decision_person_id as "decisionPersonId", e.settles_at as "settlesAt",
  ${measurementColumn(sql)} as measurements,
  e.created_at as "createdAt", e.updated_at as "updatedAt", e.started_at as "startedAt", e.ended_at as "endedAt"`

const measurementColumn = (sql: Queries) => sql`(
  select jsonb_build_object('usersExposed', m.users_exposed, 'estimatedLift', m.estimated_lift, 'confidence', m.confidence,
    'asOf', to_char(m.measured_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  from experiment_measurements m where m.experiment_id = e.id)`

/** No key has the form of a UUID, so what has it is an id. */
function referredTo(sql: Queries, workspaceId: string, reference: string) {
  return UUID_PATTERN.test(reference)
    ? sql`e.workspace_id = ${workspaceId} and e.id = ${reference}`
    : sql`e.workspace_id = ${workspaceId} and e.key = ${reference}`
}

/** @param reference an id or a key. Throws NOT_FOUND. */
export async function findExperiment(
  sql: Queries,
  workspaceId: string,
  reference: string,
): Promise<ExperimentRow> {
  const rows = await sql<ExperimentRow[]>`
    select ${experimentColumns(sql)} from experiments e where ${referredTo(sql, workspaceId, reference)}`
  return found(rows[0])
}

/** With what its pull request writes, and against what. */
export type PlannedExperiment = ExperimentRow & { changes: Change[]; snapshot: Snapshot | null }

/** @param reference an id or a key. Throws NOT_FOUND. */
export async function findExperimentWithChanges(
  sql: Queries,
  workspaceId: string,
  reference: string,
): Promise<PlannedExperiment> {
  const rows = await sql<PlannedExperiment[]>`
    select ${experimentColumns(sql)}, e.changes, e.snapshot from experiments e where ${referredTo(sql, workspaceId, reference)}`
  return found(rows[0])
}

/** The experiment, held against other writers until the transaction ends. Throws NOT_FOUND. */
export async function lockExperiment(
  tx: Transaction,
  workspaceId: string,
  reference: string,
): Promise<ExperimentRow> {
  const rows = await tx<ExperimentRow[]>`
    select ${experimentColumns(tx)} from experiments e where ${referredTo(tx, workspaceId, reference)} for update`
  return found(rows[0])
}

/** By the id, as it is now; undefined where there is no such experiment. */
export async function findExperimentById(
  sql: Queries,
  workspaceId: string,
  id: string,
): Promise<ExperimentRow | undefined> {
  const rows = await sql<ExperimentRow[]>`
    select ${experimentColumns(sql)} from experiments e where e.workspace_id = ${workspaceId} and e.id = ${id}`
  return rows[0]
}

/** As `lockExperiment`, by the id; undefined where there is no such experiment. */
export async function lockExperimentById(
  tx: Transaction,
  workspaceId: string,
  id: string,
): Promise<ExperimentRow | undefined> {
  const rows = await tx<ExperimentRow[]>`
    select ${experimentColumns(tx)} from experiments e
    where e.workspace_id = ${workspaceId} and e.id = ${id} for update`
  return rows[0]
}

function found<Row>(row: Row | undefined): Row {
  if (row === undefined) throw notFound('experiment')
  return row
}

export type NewExperiment = Pick<
  ExperimentRow,
  | 'id'
  | 'key'
  | 'name'
  | 'mechanism'
  | 'notes'
  | 'hypothesis'
  | 'kind'
  | 'testType'
  | 'status'
  | 'priority'
  | 'origin'
  | 'experimentRunId'
  | 'variants'
  | 'conversionTargets'
  | 'surfaces'
> & {
  readonly changes: readonly Change[]
  /** Left out: not known yet. */
  readonly snapshot?: Snapshot | null
  readonly at: Date
}

/** Undefined where another experiment of the workspace has the key. */
export async function insertExperiment(
  tx: Queries,
  workspaceId: string,
  row: NewExperiment,
): Promise<ExperimentRow | undefined> {
  const rows = await tx<ExperimentRow[]>`
    insert into experiments as e (id, workspace_id, key, name, mechanism, notes, hypothesis, search_text, kind, test_type, status,
      priority, origin, experiment_run_id, variants, conversion_targets, surfaces, changes, snapshot, created_at, updated_at)
    values (${row.id}, ${workspaceId}, ${row.key}, ${row.name}, ${row.mechanism}, ${row.notes}, ${row.hypothesis},
      ${searchTextOf(row)}, ${row.kind}, ${row.testType}, ${row.status}, ${row.priority}, ${row.origin},
      ${row.experimentRunId}, ${jsonColumn(tx, row.variants)}, ${jsonColumn(tx, row.conversionTargets)}, ${jsonColumn(tx, row.surfaces)},
      ${jsonColumn(tx, row.changes)}, ${row.snapshot ? jsonColumn(tx, row.snapshot) : null}, ${row.at}, ${row.at})
    on conflict on constraint experiments_key do nothing
    returning ${experimentColumns(tx)}`
  return rows[0]
}

/** Which of some keys the workspace has. */
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
  'name' | 'mechanism' | 'notes' | 'hypothesis' | 'priority' | 'variants' | 'conversionTargets'
>

/** Writes what can be edited of a locked experiment. */
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
      conversion_targets = ${jsonColumn(tx, fields.conversionTargets)}, updated_at = ${at},
      search_text = ${searchTextOf({ ...fields, key: row.key })}
    where e.workspace_id = ${workspaceId} and e.id = ${row.id}
    returning ${experimentColumns(tx)}`
  return found(rows[0])
}

/** What a revision gives a proposal anew. */
export type Rewritten = Pick<
  NewExperiment,
  'name' | 'mechanism' | 'notes' | 'hypothesis' | 'variants' | 'conversionTargets' | 'surfaces' | 'changes'
> & { readonly snapshot: Snapshot }

/** Writes a revision of a locked proposal. Its time is always a later one: whoever has looked at it before can tell. */
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

/** What a move writes beside the status. Left out: stays. */
export type TransitionFields = Partial<Pick<ExperimentRow, keyof typeof TRANSITION_COLUMNS>>

/** Throws ILLEGAL_TRANSITION where the move is not legal from the row's status. */
export function requireLegal(
  row: Pick<ExperimentRow, 'status' | 'key'>,
  move: TransitionName,
  action: string,
): void {
  if (!isLegal(row.status, move)) throw illegalTransition(row, action)
}

/** @param why where the status alone does not say it */
export function illegalTransition(
  row: Pick<ExperimentRow, 'status' | 'key'>,
  action: string,
  why?: string,
): DomainError {
  const because = why === undefined ? '' : `: ${why}`
  return new DomainError(
    'ILLEGAL_TRANSITION',
    `The experiment ${row.key} is ${row.status}: ${action} is not legal from there${because}`,
    [
      { path: 'status', message: row.status },
      { path: 'action', message: action },
    ],
  )
}

/**
 * Moves an experiment on. Where to is for the table of moves to say; the statuses that the move is legal from stand in the statement, so that of two who try
 * at once one wins: the other's row is undefined.
 */
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

/** Writes how a pull request of an experiment stands, and with it, where it is said, what it was written against. */
export async function writePullRequest(
  tx: Transaction,
  id: string,
  purpose: 'pr' | 'cleanup',
  pullRequest: PullRequest,
  at: Date,
  snapshot?: Snapshot | undefined,
): Promise<void> {
  const column = purpose === 'pr' ? tx`pull_request` : tx`cleanup_pull_request`
  await tx`
    update experiments set ${column} = ${jsonColumn(tx, pullRequest)}, updated_at = greatest(updated_at, ${at})
      ${snapshot === undefined ? tx`` : tx`, snapshot = ${jsonColumn(tx, snapshot)}`}
    where id = ${id}`
}

/** Notes what a locked experiment's changes were checked against. */
export async function writeSnapshot(tx: Transaction, id: string, snapshot: Snapshot): Promise<void> {
  await tx`update experiments set snapshot = ${jsonColumn(tx, snapshot)} where id = ${id}`
}

/** What a team has said of proposals that touch some files, when it turned them down; the newest first. */
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
