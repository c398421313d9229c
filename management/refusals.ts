import { pluralize } from '../domain/text/format.js'
import type { Sql } from '../postgres/driver/client.js'
import {
  type AuditActor,
  insertAuditEntry,
  type NewAuditEntry,
  SERVICE,
} from '../postgres/tables/audit-entries.js'
import { type Credential, findIssued, hashCredential } from '../postgres/tables/credentials.js'
import { listWorkspaces } from '../postgres/tables/workspaces.js'
import { actorOf } from './audit.js'

interface RefusalsOptions {
  readonly sql: Sql
  readonly secretKey: Uint8Array
  readonly now: () => number
  readonly newId: () => string
}

type Action = 'session.refused' | 'access.denied'
type Refusal = Pick<NewAuditEntry, 'requestId' | 'summary'>

/** Entries of a workspace and action at once, and the time after which there may be one more. */
const BURST = 20
const REFILL_MS = 60_000

interface Bucket {
  tokens: number
  /** When `tokens` was last increased. */
  at: number
  /** Refusals without an entry since the last one that counted them. */
  uncounted: number
}

const UNKNOWN: AuditActor = { apiKey: null, person: { id: null, name: 'unknown' } }

/**
 * Audits refused sign-ins and denied writes. Entries stay for good and anyone can be refused, so there are at
 * most twenty at once and one a minute for a workspace and action; the rest is counted in an entry a minute.
 */
export class Refusals {
  private readonly buckets = new Map<string, Bucket>()

  constructor(private readonly options: RefusalsOptions) {}

  /** A person or key lacks the permission for a write. */
  denied(credential: Credential, refusal: Refusal): Promise<void> {
    const { workspace, id } = credential
    return this.record('access.denied', workspace.id, id, actorOf(credential), refusal)
  }

  /**
   * Someone was refused at the door. An ended key counts for its workspace, an unknown one for the only
   * workspace there is; with several it has no entry.
   *
   * @param key as it was sent, whole or not
   */
  async signIn(key: string | undefined, refusal: Refusal): Promise<void> {
    const { sql, secretKey } = this.options
    const issued = key === undefined ? undefined : await findIssued(sql, hashCredential(secretKey, key))
    if (issued !== undefined) {
      const { workspaceId, kind, id, name, person } = issued
      const actor = { apiKey: kind === 'session' ? null : { id, name }, person }
      return this.record('session.refused', workspaceId, id, actor, refusal)
    }
    const [only, ...others] = await listWorkspaces(sql, 2)
    if (only !== undefined && others.length === 0)
      await this.record('session.refused', only.id, 'unknown', UNKNOWN, refusal)
  }

  /** Writes what was only counted. Call it every minute. */
  async writeCounts(): Promise<void> {
    for (const [key, bucket] of this.buckets) {
      const [action = '', workspaceId = ''] = key.split(' ')
      this.refill(bucket)
      const { uncounted } = bucket
      if (uncounted === 0) {
        if (bucket.tokens === BURST) this.buckets.delete(key)
        continue
      }
      bucket.uncounted = 0
      const id = this.options.newId()
      const summary = `Refused ${pluralize(uncounted, 'more request')}`
      await this.insert(action, workspaceId, 'unknown', SERVICE, { requestId: id, summary })
    }
  }

  private async record(
    action: Action,
    workspaceId: string,
    resourceId: string,
    actor: AuditActor,
    refusal: Refusal,
  ): Promise<void> {
    const key = `${action} ${workspaceId}`
    const bucket = this.buckets.get(key) ?? { tokens: BURST, at: this.options.now(), uncounted: 0 }
    this.buckets.set(key, bucket)
    this.refill(bucket)
    if (bucket.tokens === 0) bucket.uncounted++
    else {
      bucket.tokens--
      await this.insert(action, workspaceId, resourceId, actor, refusal)
    }
  }

  private refill(bucket: Bucket): void {
    const earned = Math.floor((this.options.now() - bucket.at) / REFILL_MS)
    if (earned <= 0) return
    bucket.tokens = Math.min(BURST, bucket.tokens + earned)
    bucket.at += earned * REFILL_MS
  }

  private insert(
    action: string,
    workspaceId: string,
    resourceId: string,
    actor: AuditActor,
    refusal: Refusal,
  ): Promise<void> {
    const { sql, newId, now } = this.options
    const at = new Date(now())
    return insertAuditEntry(sql, { id: newId(), workspaceId, at, action, resourceId, actor, ...refusal })
  }
}
