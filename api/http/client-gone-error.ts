/** The client closed the connection: nobody waits for an answer. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'
}
