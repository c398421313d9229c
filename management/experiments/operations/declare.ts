import { resultingStatus } from '../../../domain/lifecycle.js'
import { slugOf } from '../../../domain/slug.js'
import type { Transaction } from '../../../postgres/driver/client.js'
import { DomainError } from '../../domain-errors.js'
import type { Operation } from '../../operation.js'
import { sendPullRequest } from '../../pull-requests/job.js'
import { checkDeclared, checkPlaces } from '../../pull-requests/prepare.js'
import type { ConnectedRepository } from '../../repositories/connected.js'
import type { Services } from '../../services.js'
import { auditLabel } from '../audit-label.js'
import {
  type SurfaceInput,
  type TargetInput,
  toSurfaces,
  toTargets,
  toVariants,
  type VariantInput,
} from '../input.js'
import { refuseOverlap } from '../overlap.js'
import { findExperiment, insertExperiment, type NewExperiment } from '../store.js'
import type { Change, ExperimentRow, Snapshot } from '../types.js'
import { insertWithUniqueKey } from '../unique-key.js'
import { askRepository, PULL_REQUEST_MS } from './pull-request.js'

/** What is declared; splits add up and keys are usable, which is checked where it is read. */
export interface Declaration
  extends Partial<
    Pick<ExperimentRow, 'key' | 'mechanism' | 'notes' | 'hypothesis' | 'kind' | 'testType' | 'priority'>
  > {
  readonly name: string
  /** The first is the control. */
  readonly variants: readonly VariantInput[]
  /** The first is the primary one. */
  readonly conversionTargets: readonly TargetInput[]
  readonly surfaces?: readonly SurfaceInput[]
  readonly changes?: readonly Change[]
  /** Share a surface with an experiment in flight. */
  readonly acknowledgeOverlap?: boolean
}

/** What the repository said of a declaration. */
interface Checked {
  readonly repository: ConnectedRepository | undefined
  /** Undefined where nothing of it had to be asked. */
  readonly snapshot: Snapshot | undefined
}

/**
 * Declares an experiment: it is approved as it comes, and its pull request is written where there is a repository. Throws VALIDATION_FAILED,
 * PROPOSAL_FILES_MISSING, SURFACE_OVERLAP, KEY_TAKEN.
 */
export const declareExperiment: Operation<Declaration, ExperimentRow, Checked> = {
  action: 'experiment.create',
  waitMs: PULL_REQUEST_MS,

  prepare(caller, declaration) {
    const { key = slugOf(declaration.name, 'experiment'), changes = [] } = declaration
    const plan = { key, variants: toVariants(declaration.variants), changes }
    return askRepository(caller, async (repository, signal) => {
      checkPlaces(changes, repository?.settings.allow ?? [])
      if (repository === undefined || changes.length === 0) return { repository, snapshot: undefined }
      return { repository, snapshot: await checkDeclared(repository, plan, signal) }
    })
  },

  async record(tx, { services, workspaceId, credential }, declaration, { repository, snapshot }) {
    const outcome = repository === undefined ? 'withoutRepository' : 'writing'
    const status = resultingStatus({ name: 'approve', outcome })
    const row = await insertDeclared(tx, services, workspaceId, declaration, {
      status,
      snapshot: snapshot ?? null,
    })
    const audit = { resourceId: row.id, summary: `Declared ${auditLabel(row)}` }
    if (repository === undefined) return { result: row, audit }
    const awaits = await sendPullRequest(tx, services, repository, {
      workspaceId,
      experimentId: row.id,
      purpose: 'pr',
      key: row.key,
      baseCommit: snapshot?.commit ?? null,
      personId: credential.person.id,
    })
    return awaits === undefined ? { result: row, audit } : { result: row, audit, awaits, subjectId: row.id }
  },

  reread: findExperiment,
}

async function insertDeclared(
  tx: Transaction,
  services: Services,
  workspaceId: string,
  declaration: Declaration,
  begun: Pick<NewExperiment, 'status' | 'snapshot'>,
): Promise<ExperimentRow> {
  const id = services.newId()
  const surfaces = toSurfaces(declaration.surfaces)
  if (declaration.acknowledgeOverlap !== true) await refuseOverlap(tx, workspaceId, surfaces, id)
  const row: Omit<NewExperiment, 'key'> = {
    id,
    name: declaration.name,
    mechanism: declaration.mechanism ?? '',
    notes: declaration.notes ?? '',
    hypothesis: declaration.hypothesis ?? '',
    kind: declaration.kind ?? 'experiment',
    testType: declaration.testType ?? 'dom',
    ...begun,
    priority: declaration.priority ?? 'medium',
    origin: 'api',
    experimentRunId: null,
    variants: toVariants(declaration.variants),
    conversionTargets: toTargets(declaration.conversionTargets),
    surfaces,
    changes: declaration.changes ?? [],
    at: new Date(services.now()),
  }
  const { key } = declaration
  if (key === undefined) return insertWithUniqueKey(tx, services, workspaceId, row)
  const created = await insertExperiment(tx, workspaceId, { ...row, key })
  if (created === undefined)
    throw new DomainError('KEY_TAKEN', `Another experiment of the workspace has the key ${key}`, [
      { path: '/key', message: 'is taken' },
    ])
  return created
}
