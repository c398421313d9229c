import { isDeepStrictEqual } from 'node:util'
import { EDITABLE } from '../../domain/lifecycle.js'
import { type EditableFields, lockExperiment, updateFields } from '../../management/experiments/store.js'
import type { ExperimentRow, Variant } from '../../management/experiments/types.js'
import { validationFailed } from '../../management/refusals.js'
import type { Services } from '../../management/services.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { ApiError } from '../frame/errors.js'
import type { Written } from '../frame/route.js'
import { splitProblems, toTargets } from './input.js'
import type { UpdateExperimentBody } from './schemas.js'
import { nameOf, toExperiment } from './view.js'

const MEASUREMENT_FIELDS: readonly string[] = ['variants', 'conversionTargets']

/** Carries out a PATCH or PUT. Throws NOT_FOUND, NOT_EDITABLE, VALIDATION_FAILED. */
export async function updateExperiment(
  tx: Transaction,
  services: Services,
  workspaceId: string,
  reference: string,
  body: UpdateExperimentBody,
): Promise<Written> {
  const before = await lockExperiment(tx, workspaceId, reference)
  requireEditable(before, Object.keys(body))
  const wanted: EditableFields = {
    name: body.name ?? before.name,
    mechanism: body.mechanism ?? before.mechanism,
    notes: body.notes ?? before.notes,
    hypothesis: body.hypothesis ?? before.hypothesis,
    priority: body.priority ?? before.priority,
    variants: body.variants === undefined ? before.variants : withSplits(before.variants, body.variants),
    conversionTargets:
      body.conversionTargets === undefined ? before.conversionTargets : toTargets(body.conversionTargets),
  }
  const changed = (Object.keys(wanted) as Array<keyof EditableFields>).filter(
    (field) => !isDeepStrictEqual(wanted[field], before[field]),
  )
  if (changed.length === 0) return { answer: { status: 200, body: toExperiment(before) }, audit: undefined }
  const after = await updateFields(tx, workspaceId, before, wanted, new Date(services.now()))
  return {
    answer: { status: 200, body: toExperiment(after) },
    audit: { resourceId: after.id, summary: `Changed ${changed.join(', ')} of ${nameOf(before)}` },
  }
}

function requireEditable(row: ExperimentRow, fields: readonly string[]): void {
  const refused = fields.filter((field) => {
    const statuses: readonly string[] =
      EDITABLE[MEASUREMENT_FIELDS.includes(field) ? 'measurement' : 'proposal']
    return !statuses.includes(row.status)
  })
  if (refused.length === 0) return
  throw new ApiError(
    'NOT_EDITABLE',
    `${refused.join(', ')} of the experiment ${row.key} cannot be changed while it is ${row.status}`,
    refused.map((field) => ({ path: `/${field}`, message: `cannot be changed while it is ${row.status}` })),
  )
}

/** The variants with other splits. Throws VALIDATION_FAILED unless every variant is there once and the splits add up. */
function withSplits(
  variants: readonly Variant[],
  splits: readonly { readonly key: string; readonly trafficSplit: number }[],
): Variant[] {
  const details = splitProblems(splits)
  const seen = new Set<string>()
  for (const [index, { key }] of splits.entries()) {
    const path = `/variants/${index}/key`
    if (!variants.some((variant) => variant.key === key))
      details.push({ path, message: 'is no variant of the experiment' })
    else if (seen.has(key)) details.push({ path, message: 'is there more than once' })
    seen.add(key)
  }
  for (const { key } of variants)
    if (!seen.has(key)) details.push({ path: '/variants', message: `lacks the variant ${key}` })
  if (details.length > 0) throw validationFailed(details)
  return variants.map((variant) => ({
    ...variant,
    trafficSplit: splits.find((split) => split.key === variant.key)?.trafficSplit ?? variant.trafficSplit,
  }))
}
