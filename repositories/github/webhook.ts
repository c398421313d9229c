import { createHmac, timingSafeEqual } from 'node:crypto'

/** The subject of a GitHub delivery. It is only a hint: the receiver asks the host. */
export interface WebhookHint {
  readonly kind: 'pull_request' | 'push' | 'branch_deleted' | 'ping'
  /** `owner/name`, if the delivery has it. */
  readonly repository: string | undefined
  /** The branch without `refs/heads/`. */
  readonly branch: string | undefined
  readonly number: number | undefined
}

/** Checks `X-Hub-Signature-256`: `sha256=` and the HMAC-SHA-256 of the raw body. Runs in constant time. */
export function verifyWebhook(secret: string, body: Uint8Array, signature: string | undefined): boolean {
  const given = /^sha256=([0-9a-f]{64})$/i.exec(signature ?? '')?.[1]
  if (given === undefined || secret === '') return false
  return timingSafeEqual(createHmac('sha256', secret).update(body).digest(), Buffer.from(given, 'hex'))
}

/**
 * The subject of a delivery by its `X-GitHub-Event` and JSON body. Undefined if it is not about pull requests
 * or branches.
 */
export function webhookHint(event: string | undefined, body: Uint8Array): WebhookHint | undefined {
  const payload = parsed(body)
  if (payload === undefined) return undefined
  const repository = textAt(payload, 'repository', 'full_name')
  const plain = { repository, branch: undefined, number: undefined }
  if (event === 'ping') return { ...plain, kind: 'ping' }
  if (event === 'pull_request') {
    const number = at(payload, 'number')
    return {
      kind: 'pull_request',
      repository,
      branch: textAt(payload, 'pull_request', 'head', 'ref'),
      number: typeof number === 'number' ? number : undefined,
    }
  }
  if (event === 'push') {
    const branch = /^refs\/heads\/(.+)$/s.exec(textAt(payload, 'ref') ?? '')?.[1]
    if (branch === undefined) return undefined
    return { ...plain, kind: at(payload, 'deleted') === true ? 'branch_deleted' : 'push', branch }
  }
  if (event === 'delete' && at(payload, 'ref_type') === 'branch')
    return { ...plain, kind: 'branch_deleted', branch: textAt(payload, 'ref') }
  return undefined
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8')) as unknown
  } catch {
    // Not JSON: the caller ignores the delivery.
    return undefined
  }
}

function at(value: unknown, ...keys: string[]): unknown {
  let place = value
  for (const key of keys) {
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, key)) return undefined
    place = (place as Readonly<Record<string, unknown>>)[key]
  }
  return place
}

function textAt(value: unknown, ...keys: string[]): string | undefined {
  const found = at(value, ...keys)
  return typeof found === 'string' ? found : undefined
}
