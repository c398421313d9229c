import type postgres from 'postgres'

/**
 * Has the server plan a statement for the values at hand, each time, at the price of one more round trip. One that is planned once for all values is the wrong
 * one for some: a word that is in every row, or in none; a workspace with five rows, or a twentieth of the table. It is also for statements of
 * so many forms that connections would collect them.
 */
export function forceCustomPlan<Rows extends readonly postgres.MaybeRow[]>(
  query: postgres.PendingQuery<Rows>,
): postgres.PendingQuery<Rows> {
  // The driver looks for this where it sends; its types show it for statements without tagged values only.
  const { options } = query as unknown as { options: { prepare?: boolean } }
  options.prepare = false
  return query
}
