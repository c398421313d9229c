import type { Status } from '../../domain/lifecycle.js'
import type { ApiResponse, Result } from '../client/api.js'
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
): Promise<ApiResponse<Result<'getExperimentStatus'>>> {
  const api = await context.api()
  return waitUntil(context, {
    what,
    timeoutSeconds,
    retryCommand: `svc experiments status ${id}`,
    poll: (signal) => api.call('getExperimentStatus', { path: { id } }, signal),
    isDone: ({ body }) => body.settled || until(body.status),
    describe: ({ body }) => body.status,
  })
}
