import type { Status } from '../../domain/lifecycle.js'
import type { Answer, Result } from '../client/api.js'
import type { Context } from '../context.js'
import { waitUntil } from '../wait.js'

export const TIMEOUT_SECONDS = 600

/** Asks for the status until it is one of those, or settled. */
export async function waitForStatus(
  context: Context,
  id: string,
  what: string,
  until: (status: Status) => boolean,
  timeoutSeconds = TIMEOUT_SECONDS,
): Promise<Answer<Result<'getExperimentStatus'>>> {
  const api = await context.api()
  return waitUntil(context, {
    what,
    timeoutSeconds,
    again: `svc experiments status ${id}`,
    ask: (signal) => api.call('getExperimentStatus', { path: { id } }, signal),
    isOver: ({ body }) => body.settled || until(body.status),
    state: ({ body }) => body.status,
  })
}
