import type { Sql, Transaction } from './client.js'

/**
 * Lets the server put a second process to a statement where it expects to gain by it: above some ten milliseconds, as to begin with one takes about three,
 * which the price set here says. Not for all statements, since what is asked for often keeps every process busy by itself.
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
