import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { findCredential, hashCredential } from '../../postgres/tables/credentials.js'
import { type CreatedSession, createBrowserSession, createSession } from '../../postgres/tables/sessions.js'
import { auditByPerson } from '../audit.js'

const TOKEN_MS = 30 * 24 * 3_600_000

export interface SessionStore {
  readonly sql: Sql
  readonly secretKey: Uint8Array
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly newId: () => string
}

export interface SignIn {
  readonly workspaceId: string
  /** @default the owner of the workspace */
  readonly personId?: string
  /** The header User-Agent of a browser; undefined for a token for scripts, which lasts 30 days. */
  readonly userAgent: string | undefined
  readonly requestId: string
  /** How the person proved who they are, to end a sentence: `with a one-time link`. */
  readonly how: string
}

/** Opens a session and audits it. */
export async function openSession(
  tx: Transaction,
  store: Omit<SessionStore, 'sql'>,
  { workspaceId, personId, userAgent, requestId, how }: SignIn,
): Promise<CreatedSession> {
  const { secretKey, newId } = store
  const now = store.now()
  const base = { id: newId(), workspaceId, personId, now: new Date(now) }
  const session =
    userAgent === undefined
      ? await createSession(tx, secretKey, { ...base, expiresAt: new Date(now + TOKEN_MS) })
      : await createBrowserSession(tx, secretKey, base, userAgent)
  const credential = await findCredential(tx, hashCredential(secretKey, session.token))
  if (credential === undefined) throw new Error('the new session was not found')
  await auditByPerson(tx, store, credential, {
    action: 'session.create',
    resourceId: session.id,
    requestId,
    summary: `Signed in ${credential.person.name} ${how}`,
  })
  return session
}
