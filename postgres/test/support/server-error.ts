import postgres from 'postgres'

/** An error as the driver makes it of what the server answers. */
export function serverError(code: string, message = 'x'): Error {
  // The driver's types hide the constructor.
  const make = postgres.PostgresError as unknown as new (fields: object) => Error
  return new make({ code, message, severity: 'ERROR' })
}
