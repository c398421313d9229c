import { seal, UnsealError, unseal } from '../../runtime/sealed-secret.js'
import { type ConfiguredKeys, SecretKey, SecretKeyError } from '../../runtime/secret-key.js'
import type { Sql, Transaction } from '../driver/client.js'

const PURPOSE = 'hashing key'

/**
 * The secret key of this database: hashes under the key of its start, seals under the configured one.
 *
 * @throws SecretKeyError if none of the configured keys is that of the database
 */
export async function openSecretKey(sql: Sql | Transaction, keys: ConfiguredKeys): Promise<SecretKey> {
  const [row] = await sql<{ sealed: Uint8Array }[]>`select sealed from hashing_key`
  if (row === undefined) return new SecretKey(keys.hashing, keys.sealing)
  try {
    const text = unseal(new SecretKey(keys.hashing, keys.sealing), PURPOSE, row.sealed)
    return new SecretKey(Buffer.from(text, 'base64'), keys.sealing)
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error
    throw new SecretKeyError(
      'SVC_SECRET_KEY is not the key of this database: set the key of its last rotation, and SVC_SECRET_KEY_PREVIOUS to the one before if a rotation is under way',
    )
  }
}

/** Seals the key that hashes under the key that seals. */
export async function writeHashingKey(tx: Transaction, secretKey: SecretKey): Promise<void> {
  const sealed = seal(secretKey, PURPOSE, Buffer.from(secretKey).toString('base64'))
  await tx`
    insert into hashing_key (sealed) values (${sealed})
    on conflict (is_only) do update set sealed = excluded.sealed`
}
