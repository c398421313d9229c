/** A query that has an answer, but not within what one query may take: the API refuses it and says why. */
export class FunnelQueryError extends Error {
  override readonly name = 'FunnelRefusal'
  /** @param field the part of the query that asks for it, as in the request body */
  constructor(
    message: string,
    readonly field: string,
  ) {
    super(message)
  }
}
