/** A query the compiler has no exact answer for: the API refuses it rather than answer something else. */
export class UnsupportedFunnel extends Error {
  override readonly name = 'UnsupportedFunnel'
  /** @param field the part of the query that asks for it, as in the request body */
  constructor(
    message: string,
    readonly field: string,
  ) {
    super(message)
  }
}
