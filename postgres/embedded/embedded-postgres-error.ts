/**
 * The embedded Postgres cannot start or run. The message is one line that says what to do, followed by its last log
 * lines if they help.
 */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError'
}
