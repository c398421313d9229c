/** Exit codes of every command, as API.md section 7 gives them. */
export const EXIT = { ok: 0, refused: 1, usage: 2, unauthenticated: 3 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** A command ends with this line on standard error and this exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandFailure'
  constructor(
    readonly exitCode: ExitCode,
    message: string,
    /** What a script can branch on. */
    readonly code?: string,
    /** More of it, a line each: offending places, the request's id, what to try next. */
    readonly details: readonly string[] = [],
  ) {
    super(message)
  }
}
