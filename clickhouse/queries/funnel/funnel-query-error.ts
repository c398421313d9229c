/** The query has an answer, but not within the limits of one query: the API refuses it with the reason. */
export class FunnelQueryError extends Error {
  override readonly name = 'FunnelRefusal'
  /** @param field the part of the request body that asks for it */
  constructor(
    message: string,
    readonly field: string,
  ) {
    super(message)
  }
}
