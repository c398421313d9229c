/** The client closed the connection: nobody waits for an answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}
