import { UUID_PATTERN } from '../../domain/uuid.js'
import type { Services } from '../../management/services.js'
import { wantPoll } from '../../postgres/tables/repositories.js'
import { verifyWebhook, webhookHint } from '../../repositories/github/webhook.js'
import type { BodyMemory } from '../http/body-memory.js'
import type { Exchange } from '../http/exchange.js'
import { HttpError } from '../http/http-error.js'
import type { StoredResponse } from '../http/response.js'

const PATH = /^\/hooks\/github\/([^/]+)$/

/**
 * Handles a delivery of GitHub: `POST /hooks/github/{workspaceId}`, signed with the secret of the connected
 * repository. It is only a hint: the host is then asked for the state of its pull requests. The path needs no
 * key.
 *
 * @throws ApiError 401 alike for a wrong signature, an unknown workspace, and one without a secret
 */
export async function answerHook(
  services: Services,
  memory: BodyMemory,
  exchange: Exchange,
): Promise<StoredResponse> {
  const workspaceId = PATH.exec(exchange.path)?.[1]
  if (workspaceId === undefined) throw new HttpError('NOT_FOUND', 'No such route')
  if (exchange.method !== 'POST')
    throw new HttpError('METHOD_NOT_ALLOWED', 'This path accepts POST', [], { Allow: 'POST' })
  const release = memory.reserve('deliveries', exchange.maxBodyBytes)
  try {
    return await answerDelivery(services, exchange, workspaceId)
  } finally {
    release()
  }
}

async function answerDelivery(
  services: Services,
  exchange: Exchange,
  workspaceId: string,
): Promise<StoredResponse> {
  const body = await exchange.readBody()
  const secret = UUID_PATTERN.test(workspaceId)
    ? await services.repositories.webhookSecret(workspaceId)
    : undefined
  if (!verifyWebhook(secret ?? '', body, exchange.header('x-hub-signature-256')))
    throw new HttpError('UNAUTHENTICATED', 'The delivery is not signed with the secret of this repository')
  const hint = webhookHint(exchange.header('x-github-event'), body)
  if (hint !== undefined && hint.kind !== 'ping') await wantPoll(services.sql, workspaceId)
  return { status: 204, headers: {}, body: undefined }
}
