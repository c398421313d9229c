import { EDITABLE } from '../../domain/lifecycle.js'
import { changedFields, inWords } from '../audit.js'
import { DomainError, validationFailed } from '../domain-errors.js'
import {
  auditLabel,
  controlSplitProblems,
  type ExperimentReference,
  type ExperimentRow,
  lockExperiment,
  type SizingInput,
  STATUS_TEXTS,
  splitProblems,
  type TargetInput,
  toSizing,
  toTargets,
  updateFields,
  type Variant,
} from '../experiments/index.js'
import type { Operation } from '../operation.js'

const MEASUREMENT_FIELDS: readonly string[] = ['variants', 'conversionTargets', 'sizing']

export interface ExperimentChanges
  extends Partial<Pick<ExperimentRow, 'name' | 'mechanism' | 'notes' | 'hypothesis' | 'priority'>> {
  /** New splits for the existing variants. */
  readonly variants?: readonly Pick<Variant, 'key' | 'trafficSplit'>[]
  readonly conversionTargets?: readonly TargetInput[]
  readonly sizing?: SizingInput | null
}

export interface UpdateInput extends ExperimentReference {
  /** Fields that are left out stay as they are. */
  readonly changes: ExperimentChanges
}

/** An edit that changes nothing is not audited. Throws NOT_EDITABLE, VALIDATION_FAILED. */
export const updateExperiment: Operation<UpdateInput, ExperimentRow> = {
  action: 'experiment.update',

  async record(tx, { services, workspaceId }, { reference, changes }) {
    const before = await lockExperiment(tx, workspaceId, reference)
    requireEditable(before, Object.keys(changes))
    const { variants: splits, conversionTargets: targets, sizing } = changes
    const wanted = {
      ...before,
      ...changes,
      variants: splits === undefined ? before.variants : withSplits(before.variants, splits),
      conversionTargets: targets === undefined ? before.conversionTargets : toTargets(targets),
      sizing: sizing === undefined ? before.sizing : toSizing(sizing),
    }
    const changed = changedFields(before, wanted)
    if (changed.length === 0) return { result: before, audit: undefined }
    const after = await updateFields(tx, workspaceId, before, wanted, new Date(services.now()))
    return {
      result: after,
      audit: { resourceId: after.id, summary: `Changed ${inWords(changed)} of ${auditLabel(before)}` },
    }
  },
}

function requireEditable(row: ExperimentRow, fields: readonly string[]): void {
  const refused = fields.filter((field) => {
    const statuses: readonly string[] =
      EDITABLE[MEASUREMENT_FIELDS.includes(field) ? 'measurement' : 'proposal']
    return !statuses.includes(row.status)
  })
  if (refused.length === 0) return
  throw new DomainError(
    'NOT_EDITABLE',
    `The ${inWords(refused)} of the experiment ${row.key} cannot be changed: it ${STATUS_TEXTS[row.status]}`,
    refused.map((field) => ({
      path: `/${field}`,
      message: `cannot be changed: the experiment ${STATUS_TEXTS[row.status]}`,
    })),
  )
}

/** Throws VALIDATION_FAILED unless every variant is there once and the splits are possible. */
function withSplits(
  variants: readonly Variant[],
  splits: readonly { readonly key: string; readonly trafficSplit: number }[],
): Variant[] {
  const control = splits.findIndex(({ key }) => key === variants[0]?.key)
  const details = [...splitProblems(splits), ...controlSplitProblems(splits[control], control)]
  const seen = new Set<string>()
  for (const [index, { key }] of splits.entries()) {
    const path = `/variants/${index}/key`
    if (!variants.some((variant) => variant.key === key))
      details.push({ path, message: 'is not a variant of the experiment' })
    else if (seen.has(key)) details.push({ path, message: 'is there more than once' })
    seen.add(key)
  }
  for (const { key } of variants)
    if (!seen.has(key)) details.push({ path: '/variants', message: `must name the variant ${key}` })
  if (details.length > 0) throw validationFailed(details)
  return variants.map((variant) => ({
    ...variant,
    trafficSplit: splits.find((split) => split.key === variant.key)?.trafficSplit ?? variant.trafficSplit,
  }))
}
