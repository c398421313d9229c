/** Exit codes of every command, described in docs/reference/ci.md. */
export const EXIT = { ok: 0, refused: 1, usage: 2, unauthenticated: 3 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** Ends a command with a line on standard error and an exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  constructor(
    readonly exitCode: ExitCode,
    message: string,
    /** For scripts. */
    readonly code?: string,
    /** More lines: offending places, the id of the request, what to try next. */
    readonly details: readonly string[] = [],
  ) {
    super(message)
  }
}

type Details = readonly [message: string, code?: string | undefined, details?: readonly string[]]

export const refusedError = (...details: Details): CommandError => new CommandError(EXIT.refused, ...details)
export const usageError = (...details: Details): CommandError => new CommandError(EXIT.usage, ...details)
export const unauthenticatedError = (...details: Details): CommandError =>
  new CommandError(EXIT.unauthenticated, ...details)
