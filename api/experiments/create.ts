import { numberedSlug, slugOf } from '../../domain/slug.js'
import { refuseOverlap } from '../../management/experiments/overlap.js'
import { insertExperiment, type NewExperiment, takenKeys } from '../../management/experiments/store.js'
import type { ExperimentRow } from '../../management/experiments/types.js'
import type { Services } from '../../management/services.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { ApiError } from '../frame/errors.js'
import { keepTo } from '../frame/route.js'
import { createRules, isUsableKey, toSurfaces, toTargets, toVariants } from './input.js'
import type { CreateExperimentBody } from './schemas.js'

/** After so many numbered keys a name gets a random one. */
const NUMBERED_KEYS = 9
const ATTEMPTS = 20

/** Declares an experiment: it is approved as it comes. Throws VALIDATION_FAILED, SURFACE_OVERLAP, KEY_TAKEN. */
export async function declareExperiment(
  tx: Transaction,
  services: Services,
  workspaceId: string,
  body: CreateExperimentBody,
): Promise<ExperimentRow> {
  keepTo(createRules, body, services.now())
  const id = services.newId()
  const surfaces = toSurfaces(body.surfaces)
  if (body.acknowledgeOverlap !== true) await refuseOverlap(tx, workspaceId, surfaces, id)
  const row: Omit<NewExperiment, 'key'> = {
    id,
    name: body.name,
    mechanism: body.mechanism ?? '',
    notes: body.notes ?? '',
    hypothesis: body.hypothesis ?? '',
    kind: body.kind ?? 'experiment',
    testType: body.testType ?? 'dom',
    status: 'approved',
    priority: body.priority ?? 'medium',
    origin: 'api',
    experimentRunId: null,
    variants: toVariants(body.variants),
    conversionTargets: toTargets(body.conversionTargets),
    surfaces,
    changes: body.changes ?? [],
    at: new Date(services.now()),
  }
  if (body.key === undefined) return insertUnderFreeKey(tx, services, workspaceId, row)
  const created = await insertExperiment(tx, workspaceId, { ...row, key: body.key })
  if (created === undefined)
    throw new ApiError('KEY_TAKEN', `Another experiment of the workspace has the key ${body.key}`, [
      { path: '/key', message: 'is taken' },
    ])
  return created
}

/** The name's slug, which is mostly free, else numbered. One that another request takes in between is tried once and then known. */
async function insertUnderFreeKey(
  tx: Transaction,
  services: Services,
  workspaceId: string,
  row: Omit<NewExperiment, 'key'>,
): Promise<ExperimentRow> {
  const slug = slugOf(row.name, 'experiment')
  const candidates = [slug, ...Array.from({ length: NUMBERED_KEYS - 1 }, (_, i) => numberedSlug(slug, i + 2))]
  const taken = new Set<string>()
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const key =
      candidates.find((candidate) => isUsableKey(candidate) && !taken.has(candidate)) ??
      `${slugOf(slug.slice(0, 50), 'experiment')}-${services.newId().slice(-12)}`
    const created = await insertExperiment(tx, workspaceId, { ...row, key })
    if (created !== undefined) return created
    taken.add(key)
    if (attempt === 0) for (const other of await takenKeys(tx, workspaceId, candidates)) taken.add(other)
  }
  throw new Error('no free key was found')
}
