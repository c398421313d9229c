import type { Status } from '../../../domain/lifecycle.js'
import type { Sql, Transaction } from '../../../postgres/driver/client.js'
import { jsonColumn } from '../../json-column.js'
import type { Dismissal, Surface } from '../types.js'

/** What generators know of a proposal beside what people see. */
export interface Idea {
  /** The rule that found it. */
  readonly pattern: string
  readonly topics: readonly string[]
  /** What its alternatives say, one text a variant. */
  readonly alternatives: readonly string[]
  readonly eventToSend: { readonly eventName: string; readonly when: string } | null
  readonly score: number
  readonly reasons: readonly string[]
}

/** An experiment as far as ideas are compared with it. */
export interface PastExperiment {
  id: string
  key: string
  status: Status
  mechanism: string
  surfaces: Surface[]
  dismissal: Dismissal | null
  /** Null where no generator made it. */
  idea: Idea | null
  /** The texts of its alternatives where no generator made it. */
  texts: string[]
}

type Queries = Sql | Transaction

const pastColumns = (sql: Queries) => sql`
  e.id, e.key, e.status, e.mechanism, e.surfaces, e.dismissal, i.idea,
  case when i.idea is null
    then jsonb_path_query_array(e.changes, '$[*].edits[*] ? (exists (@.variant)).replace') else '[]' end as texts`

/** The newest experiments of a workspace that have one of some statuses. */
export async function listPast(
  sql: Queries,
  workspaceId: string,
  statuses: readonly Status[],
  limit: number,
): Promise<PastExperiment[]> {
  return sql<PastExperiment[]>`
    select ${pastColumns(sql)} from experiments e left join proposal_ideas i on i.experiment_id = e.id
    where e.workspace_id = ${workspaceId} and e.status = any(${[...statuses]})
    order by e.created_at desc, e.id desc limit ${limit}`
}

/** The experiments of some ids, in no order. */
export async function findPast(
  sql: Queries,
  workspaceId: string,
  ids: readonly string[],
): Promise<PastExperiment[]> {
  return sql<PastExperiment[]>`
    select ${pastColumns(sql)} from experiments e left join proposal_ideas i on i.experiment_id = e.id
    where e.workspace_id = ${workspaceId} and e.id = any(${[...ids]})`
}

export async function writeIdea(tx: Transaction, experimentId: string, idea: Idea): Promise<void> {
  await tx`
    insert into proposal_ideas (experiment_id, idea) values (${experimentId}, ${jsonColumn(tx, idea)})
    on conflict (experiment_id) do update set idea = excluded.idea`
}

/** The proposals of a workspace but those of a run, held against other writers until the transaction ends, in one order for all. */
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
