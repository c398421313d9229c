import type { Status } from '../../domain/lifecycle.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { jsonColumn } from '../../postgres/driver/json-column.js'
import { auditByService } from '../audit.js'
import {
  auditLabel,
  type Dismissal,
  type ExperimentRow,
  insertWithUniqueKey,
  lockExperimentIfExists,
  lockPending,
  type NewExperiment,
  type Rewritten,
  rewriteExperiment,
  type Surface,
  transitionExperiment,
} from '../experiments/index.js'
import type { Services } from '../services.js'

type Clock = Pick<Services, 'now' | 'newId'>

/** Facts of a proposal for generators that people do not see. */
export interface Idea {
  /** Id of the rule that found it. */
  readonly ruleId: string
  readonly topics: readonly string[]
  /** The texts of its variants. */
  readonly alternatives: readonly string[]
  readonly eventToSend: { readonly eventName: string; readonly when: string } | null
  readonly score: number
  readonly reasons: readonly string[]
}

/** The part of an experiment that new ideas are compared with. */
export interface PastExperiment {
  id: string
  key: string
  status: Status
  mechanism: string
  surfaces: Surface[]
  dismissal: Dismissal | null
  /** Null if no generator made it. */
  idea: Idea | null
  /** The texts of its variants if no generator made it. */
  texts: string[]
  /** The texts of the code that it changes. */
  finds: { path: string; find: string }[]
}

const pastColumns = (sql: Sql | Transaction) => sql`
  e.id, e.key, e.status, e.mechanism, e.surfaces, e.dismissal, i.idea,
  case when i.idea is null
    then jsonb_path_query_array(e.changes, '$[*].edits[*] ? (exists (@.variant)).replace') else '[]' end as texts,
  (select coalesce(jsonb_agg(jsonb_build_object('path', change ->> 'path', 'find', edit ->> 'find')), '[]')
    from jsonb_array_elements(e.changes) as change, jsonb_array_elements(coalesce(change -> 'edits', '[]')) as edit) as finds`

/** The newest experiments of a workspace with one of some statuses. */
export async function listPast(
  sql: Sql | Transaction,
  workspaceId: string,
  statuses: readonly Status[],
  limit: number,
): Promise<PastExperiment[]> {
  return sql<PastExperiment[]>`
    select ${pastColumns(sql)} from experiments e left join proposal_ideas i on i.experiment_id = e.id
    where e.workspace_id = ${workspaceId} and e.status = any(${[...statuses]})
    order by e.created_at desc, e.id desc limit ${limit}`
}

/** The experiments with some ids, in no particular order. */
export async function findPast(
  sql: Sql | Transaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<PastExperiment[]> {
  return sql<PastExperiment[]>`
    select ${pastColumns(sql)} from experiments e left join proposal_ideas i on i.experiment_id = e.id
    where e.workspace_id = ${workspaceId} and e.id = any(${[...ids]})`
}

async function writeIdea(tx: Transaction, experimentId: string, idea: Idea): Promise<void> {
  await tx`
    insert into proposal_ideas (experiment_id, idea) values (${experimentId}, ${jsonColumn(tx, idea)})
    on conflict (experiment_id) do update set idea = excluded.idea`
}

/** A proposal as a generator made it. */
export type NewProposal = Omit<
  NewExperiment,
  'id' | 'key' | 'kind' | 'testType' | 'status' | 'origin' | 'at'
> & { readonly idea: Idea }

export async function insertProposal(
  tx: Transaction,
  services: Clock,
  workspaceId: string,
  { idea, ...proposal }: NewProposal,
): Promise<ExperimentRow> {
  const row = await insertWithUniqueKey(tx, services, workspaceId, {
    ...proposal,
    id: services.newId(),
    kind: 'experiment',
    testType: 'dom',
    status: 'proposed',
    origin: 'generated',
    at: new Date(services.now()),
  })
  await writeIdea(tx, row.id, idea)
  return row
}

/** Dismisses the proposals that a batch replaces: all but those of its own run. */
export async function retirePending(
  tx: Transaction,
  services: Clock,
  workspaceId: string,
  { runId, personId }: { readonly runId: string; readonly personId: string },
): Promise<void> {
  const at = new Date(services.now())
  for (const { id } of await lockPending(tx, workspaceId, runId)) {
    const moved = await transitionExperiment(tx, workspaceId, id, { name: 'dismiss' }, at, {
      dismissal: { reasons: ['replaced'], note: null, dismissedAt: at.toISOString(), personId },
    })
    if (moved === undefined) continue
    await auditByService(tx, services, workspaceId, {
      action: 'experiment.replaced',
      resourceId: id,
      summary: `${auditLabel(moved)} was replaced by a new batch`,
    })
  }
}

/** Locks a proposal until the transaction ends. Undefined if it is not a proposal any more. */
export async function lockProposal(
  tx: Transaction,
  workspaceId: string,
  id: string,
): Promise<ExperimentRow | undefined> {
  const row = await lockExperimentIfExists(tx, workspaceId, id)
  return row?.status === 'proposed' ? row : undefined
}

export type RevisedProposal = Rewritten & { readonly idea: Idea }

/** Replaces a locked proposal by its revision. */
export async function rewriteProposal(
  tx: Transaction,
  { now }: Pick<Services, 'now'>,
  workspaceId: string,
  before: ExperimentRow,
  { idea, ...rewritten }: RevisedProposal,
): Promise<void> {
  await rewriteExperiment(tx, workspaceId, before, rewritten, new Date(now()))
  await writeIdea(tx, before.id, idea)
}
