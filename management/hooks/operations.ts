import { randomBytes } from 'node:crypto'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { seal } from '../../runtime/sealed-secret.js'
import { changedFields, inWords } from '../audit.js'
import { validationFailed } from '../domain-errors.js'
import type { Caller, Operation } from '../operation.js'
import { deliveryJobKey, hookDeliveryJob } from './delivery-job.js'
import { type LookUpCaller, lookUp } from './look-up.js'
import { hostOf } from './post.js'
import { isPublicAddress } from './public-address.js'
import {
  type DeliveryKey,
  type DeliveryRow,
  type HookFields,
  type HookRow,
  insertHook,
  lockHook,
  removeHook,
  reopenDelivery,
  secretPurpose,
  writeHook,
} from './store.js'

export const MAX_HOOKS = 20
const LOOK_UP_MS = 2_000

export interface NewHookInput extends Omit<HookFields, 'format'> {
  readonly format?: HookFields['format']
  /** @default a random one */
  readonly secret?: string
}

/**
 * @throws DomainError VALIDATION_FAILED if the address is not allowed, or the workspace has too many hooks
 */
export const createHook: Operation<NewHookInput, HookRow & { readonly secret: string }> = {
  action: 'hook.create',

  prepare: (caller, { url }) => requireUsableUrl(caller, url),

  async record(tx, { services, workspaceId }, { url, kinds, format = 'svc', secret = newSecret() }) {
    const id = services.newId()
    const sealed = seal(services.secretKey, secretPurpose(id), secret)
    const fields = { id, url, kinds, format, secret: sealed, at: new Date(services.now()) }
    const row = await insertHook(tx, workspaceId, fields, MAX_HOOKS)
    if (row === undefined)
      throw validationFailed([
        { path: '', message: `is too many: a workspace has at most ${MAX_HOOKS} hooks` },
      ])
    return {
      result: { ...row, secret },
      audit: { resourceId: id, summary: `Created the webhook to ${hostIn(url)}` },
    }
  },
}

export interface HookChangesInput {
  readonly id: string
  /** Fields that are left out stay as they are. */
  readonly changes: Partial<HookFields> & { readonly secret?: string }
}

/** @throws DomainError NOT_FOUND, and VALIDATION_FAILED if the address is not allowed */
export const updateHook: Operation<HookChangesInput, HookRow> = {
  action: 'hook.update',

  async prepare(caller, { changes: { url } }) {
    if (url !== undefined) await requireUsableUrl(caller, url)
  },

  async record(tx, { services, workspaceId }, { id, changes: { secret, ...changes } }) {
    const before = await lockHook(tx, workspaceId, id)
    const wanted = { ...before, ...changes }
    const changed = changedFields(before, wanted)
    if (secret !== undefined) changed.push('secret')
    if (changed.length === 0) return { result: before, audit: undefined }
    const sealed = secret === undefined ? undefined : seal(services.secretKey, secretPurpose(id), secret)
    const after = await writeHook(tx, id, { ...wanted, secret: sealed, at: new Date(services.now()) })
    return {
      result: after,
      audit: {
        resourceId: id,
        summary: `Changed ${inWords(changed)} of the webhook to ${hostIn(before.url)}`,
      },
    }
  },
}

/** @throws DomainError NOT_FOUND */
export const deleteHook: Operation<{ readonly id: string }, HookRow> = {
  action: 'hook.delete',

  async record(tx, { workspaceId }, { id }) {
    const before = await lockHook(tx, workspaceId, id)
    await removeHook(tx, id)
    return {
      result: before,
      audit: { resourceId: id, summary: `Deleted the webhook to ${hostIn(before.url)}` },
    }
  },
}

/** Sends an event again, even if it was delivered. @throws DomainError NOT_FOUND */
export const retryDelivery: Operation<
  DeliveryKey,
  { readonly hook: HookRow; readonly delivery: DeliveryRow }
> = {
  action: 'hook.retry',

  async record(tx, { services, workspaceId }, key) {
    const hook = await lockHook(tx, workspaceId, key.hookId)
    const delivery = await reopenDelivery(tx, key)
    const payload = { workspaceId, ...key }
    const wakes = await services.jobs.send(tx, hookDeliveryJob, payload, { key: deliveryJobKey(key) })
    return {
      result: { hook, delivery },
      wakes,
      audit: {
        resourceId: hook.id,
        summary: `Sent ${delivery.kind} again to the webhook to ${hostIn(hook.url)}`,
      },
    }
  },
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64url')}`
}

/** The host only, for the audit trail: the rest of an address is often a secret. */
function hostIn(url: string): string {
  return new URL(url).host
}

async function requireUsableUrl(caller: Caller, text: string): Promise<void> {
  const { allowPrivate } = caller.services.hooks
  const problem = problemOf(text) ?? (allowPrivate ? undefined : await privateHost(text, caller))
  if (problem !== undefined) throw validationFailed([{ path: '/url', message: problem }])
}

function problemOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    return 'must be an address like https://example.com/hooks'
  if (url.username !== '' || url.password !== '')
    return 'must be without user and password: check the signature instead'
  // Below 1024 are the ports of mail, databases and the like, which a request could confuse.
  if (url.port !== '' && url.port !== '80' && url.port !== '443' && Number(url.port) < 1_024)
    return 'must have the port 80, 443, or one from 1024'
  return undefined
}

/** The problem of an address that leads to a private host. Each delivery checks its connection again. */
async function privateHost(text: string, caller: LookUpCaller): Promise<string | undefined> {
  const look = lookUp(hostOf(new URL(text)), caller)
  // A name that is unknown for now may be known when something is delivered, and is checked then.
  const addresses = await withTimeout(LOOK_UP_MS, 'the name server', look).catch(() => [])
  return addresses.every(({ address }) => isPublicAddress(address))
    ? undefined
    : 'must not lead to a private address (an operator can allow it with SVC_HOOKS_ALLOW_PRIVATE)'
}
