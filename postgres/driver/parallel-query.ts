import type { Sql, Transaction } from './client.js'

/**
 * Lets the server use a second process for a statement if it expects to gain, which is above some ten
 * milliseconds: a second process takes about three to start, and the cost set here tells the planner. Not for
 * frequent statements, which keep every process busy anyway.
 */
export async function parallelQuery<Answer>(
  sql: Sql,
  ask: (tx: Transaction) => Promise<Answer>,
): Promise<Answer> {
  const [, answer] = await sql.begin('read only', (tx) => [
    tx`select set_config('max_parallel_workers_per_gather', '1', true), set_config('parallel_setup_cost', '400', true)`,
    ask(tx),
  ])
  return answer as Answer
}
