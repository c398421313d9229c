import type postgres from 'postgres'

/**
 * Lets the server plan a statement for the current values each time, at the price of one more round trip. A
 * generic plan is wrong for some values: a word in every row or in none, a workspace with five rows or a
 * twentieth of the table. Also for statements of so many forms that each connection would collect them.
 */
export function forceCustomPlan<Rows extends readonly postgres.MaybeRow[]>(
  query: postgres.PendingQuery<Rows>,
): postgres.PendingQuery<Rows> {
  // The driver reads this when it sends; its types show it for untagged statements only.
  const { options } = query as unknown as { options: { prepare?: boolean } }
  options.prepare = false
  return query
}
