import { numberedSlug, slugOf } from '../../domain/slug.js'
import type { Transaction } from '../../postgres/driver/client.js'
import type { Services } from '../services.js'
import { isUsableKey } from './input.js'
import { insertExperiment, type NewExperiment, takenKeys } from './store.js'
import type { ExperimentRow } from './types.js'

/** `slug`, `slug-2` … `slug-9`. After that a key gets a random ending. */
const NUMBERED_KEYS = 9
const ATTEMPTS = 20

/** Inserts an experiment with a key made from its name. Tries the next key if another request was faster. */
export async function insertWithUniqueKey(
  tx: Transaction,
  { newId }: Pick<Services, 'newId'>,
  workspaceId: string,
  row: Omit<NewExperiment, 'key'>,
): Promise<ExperimentRow> {
  const slug = slugOf(row.name, 'experiment')
  const candidates = [slug, ...Array.from({ length: NUMBERED_KEYS - 1 }, (_, i) => numberedSlug(slug, i + 2))]
  const taken = new Set<string>()
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const key =
      candidates.find((candidate) => isUsableKey(candidate) && !taken.has(candidate)) ??
      `${slugOf(slug.slice(0, 50), 'experiment')}-${newId().slice(-12)}`
    const created = await insertExperiment(tx, workspaceId, { ...row, key })
    if (created !== undefined) return created
    taken.add(key)
    if (attempt === 0) for (const other of await takenKeys(tx, workspaceId, candidates)) taken.add(other)
  }
  throw new Error('no unused key was found')
}
