import { resultingStatus } from '../../domain/lifecycle.js'
import { slugOf } from '../../domain/slug.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { checkDeclared, checkPaths } from '../code-changes/index.js'
import { DomainError } from '../domain-errors.js'
import {
  auditLabel,
  type Change,
  type ExperimentRow,
  findExperiment,
  insertExperiment,
  insertWithUniqueKey,
  type NewExperiment,
  refuseOverlap,
  type SizingInput,
  type Snapshot,
  type SurfaceInput,
  type TargetInput,
  toSizing,
  toSurfaces,
  toTargets,
  toVariants,
  type VariantInput,
} from '../experiments/index.js'
import type { Operation } from '../operation.js'
import { askRepository, type ConnectedRepository } from '../repositories/index.js'
import type { Services } from '../services.js'
import { PULL_REQUEST_WAIT_MS, recordWithPullRequest } from './approve.js'

/** The API has checked that splits add up and that the key is usable. */
export interface Declaration
  extends Partial<
    Pick<ExperimentRow, 'key' | 'mechanism' | 'notes' | 'hypothesis' | 'kind' | 'testType' | 'priority'>
  > {
  readonly name: string
  /** The first is the control. */
  readonly variants: readonly VariantInput[]
  /** The first is the primary target. */
  readonly conversionTargets: readonly TargetInput[]
  readonly sizing?: SizingInput | null
  readonly surfaces?: readonly SurfaceInput[]
  readonly changes?: readonly Change[]
  /** Accepts that the experiment shares a surface with one in flight. @default false */
  readonly acknowledgeOverlap?: boolean
}

/** The results of `prepare`, which runs before the transaction. */
interface Checked {
  readonly repository: ConnectedRepository | undefined
  /** Undefined without a repository and for declarations without changes. */
  readonly snapshot: Snapshot | undefined
}

/**
 * Declares an experiment as approved, and sends its pull request if the workspace has a repository.
 * @throws DomainError VALIDATION_FAILED, PROPOSAL_FILES_MISSING, SURFACE_OVERLAP, KEY_TAKEN
 */
export const declareExperiment: Operation<Declaration, ExperimentRow, Checked> = {
  action: 'experiment.create',
  waitMs: PULL_REQUEST_WAIT_MS,

  prepare(caller, declaration) {
    const { key = slugOf(declaration.name, 'experiment'), changes = [] } = declaration
    const plan = { key, variants: toVariants(declaration.variants), changes }
    return askRepository(caller, async (repository, signal) => {
      checkPaths(changes, repository?.settings.allow ?? [])
      if (repository === undefined || changes.length === 0) return { repository, snapshot: undefined }
      return { repository, snapshot: await checkDeclared(repository, plan, signal) }
    })
  },

  async record(tx, caller, declaration, { repository, snapshot }) {
    const outcome = repository === undefined ? 'withoutRepository' : 'writing'
    const row = await insertDeclared(tx, caller.services, caller.workspaceId, declaration, {
      status: resultingStatus({ name: 'approve', outcome }),
      snapshot: snapshot ?? null,
    })
    const summary = `Declared ${auditLabel(row)}`
    return recordWithPullRequest(tx, caller, row, summary, repository, snapshot?.commit ?? null)
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
  const changes = declaration.changes ?? []
  if (declaration.acknowledgeOverlap !== true) await refuseOverlap(tx, workspaceId, { surfaces, changes }, id)
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
    sizing: toSizing(declaration.sizing),
    surfaces,
    changes,
    at: new Date(services.now()),
  }
  const { key } = declaration
  if (key === undefined) return insertWithUniqueKey(tx, services, workspaceId, row)
  const created = await insertExperiment(tx, workspaceId, { ...row, key })
  if (created === undefined)
    throw new DomainError(
      'KEY_TAKEN',
      `Another experiment of the workspace has the key ${key}: choose another key`,
      [{ path: '/key', message: 'is taken' }],
    )
  return created
}
