import { workspaceHashKeys } from '../../log/hash-keys.js'
import { personKeyOf } from '../../log/record.js'
import { findLinks, linksOfUser } from '../../postgres/tables/identity-links.js'
import type { Services } from '../services.js'

/** A person, and the keys of all rows that belong to it now. */
export interface PersonKeys {
  readonly userId: string | null
  /** Linked to the user, or the anonymous person's own. */
  readonly anonymousIds: readonly string[]
  readonly keys: readonly bigint[]
}

/**
 * The person of an id; that of an anonymous id that is linked is the user.
 *
 * @param personId `user:ID` or `anonymous:ID`; undefined for anything else
 */
export async function personKeysOf(
  { sql, secretKey }: Pick<Services, 'sql' | 'secretKey'>,
  workspaceId: string,
  personId: string,
): Promise<PersonKeys | undefined> {
  const [, kind, id = ''] = /^(user|anonymous):(.+)$/s.exec(personId) ?? []
  if (kind === undefined) return undefined
  const hashKeys = workspaceHashKeys(secretKey, workspaceId)
  const userId = kind === 'user' ? id : (await findLinks(sql, workspaceId, [id])).get(id)
  if (userId === undefined)
    return { userId: null, anonymousIds: [id], keys: [personKeyOf('anonymous', id, hashKeys)] }
  const key = personKeyOf('user', userId, hashKeys)
  const links = await linksOfUser(sql, workspaceId, String(key))
  return {
    userId,
    anonymousIds: links.map(({ anonymousId }) => anonymousId),
    keys: [key, ...links.map(({ anonymousKey }) => BigInt(anonymousKey))],
  }
}
