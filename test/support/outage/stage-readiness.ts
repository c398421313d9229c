import { call, until } from '../service.js'

interface Ready {
  readonly status: string
  readonly down: string[]
  readonly stages: { readonly stage: string; readonly checks: { readonly name: string }[] }[]
}

export const readyz = (admin: string) => call<Ready>(undefined, 'GET', `${admin}/readyz`)

/**
 * Names of the stores that `/readyz` of a program reports as missing, such as `postgres,clickhouse`. `ready`
 * if none is, `not there` while no program listens.
 */
async function missingOf(admin: string): Promise<string> {
  try {
    const { status, body } = await readyz(admin)
    return status === 200 ? 'ready' : body.down.join(',')
  } catch {
    return 'not there'
  }
}

/** Waits until `/readyz` reports that. Returns the last answer either way. */
export const untilMissing = (admin: string, wanted: string, seconds = 60): Promise<string> =>
  until(
    () => missingOf(admin),
    (found) => found === wanted,
    seconds,
  )
