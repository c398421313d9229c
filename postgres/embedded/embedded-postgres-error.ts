/**
 * The embedded Postgres cannot start or run. The message is one line that says what to do, and maybe the end
 * of its log.
 */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError'
}
