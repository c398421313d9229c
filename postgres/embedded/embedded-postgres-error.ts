/** The embedded Postgres cannot be had: the message is one line that says what to do, with its last log lines below where they help. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError'
}

/** The `code` of a Node system error (`ENOENT`), or the error as text. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
