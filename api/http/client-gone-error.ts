/** The client closed the connection before its response. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'
}
