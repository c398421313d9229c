import type { components } from '../../../../contract/operations.js'
import { freeSlug, slugOf } from '../../../../domain/slug.js'
import { type DraftFilter, filtersToBody, operandText } from '../../../components/query/filter-draft.js'

type Schemas = components['schemas']
export type CreateBody = Schemas['CreateExperiment']
export type UpdateBody = Schemas['UpdateExperiment']
type TargetInput = Schemas['ConversionTargetInput']
type Change = NonNullable<CreateBody['changes']>[number]

/** Numbers are as typed; shares are typed in percent. */
export interface DraftTarget {
  readonly eventName: string
  readonly name: string
  readonly direction: 'increase' | 'decrease'
  readonly windowHours: string
  /** A mean is one of a property. */
  readonly isMean: boolean
  readonly property: string
  /** Options without a field in the form. */
  readonly meanOptions: { readonly percentile?: number; readonly cuped?: boolean }
  readonly filters: readonly DraftFilter[]
  /** Of a guardrail. */
  readonly margin: string
}

export interface DraftVariant {
  /** Empty until the experiment is created. */
  readonly key: string
  readonly displayName: string
  readonly trafficSplit: string
}

export interface DraftEdit {
  readonly find: string
  readonly replace: string
  /** Index of the variant; empty for everybody. */
  readonly variant: string
}

export interface DraftChange {
  readonly path: string
  readonly action: 'modify' | 'create' | 'delete'
  readonly content: string
  readonly edits: readonly DraftEdit[]
}

export interface DraftSurface {
  readonly path: string
  readonly anchor: string
}

export interface ExperimentDraft {
  readonly name: string
  readonly key: string
  readonly hypothesis: string
  readonly mechanism: string
  readonly notes: string
  readonly priority: Schemas['Experiment']['priority']
  readonly variants: readonly DraftVariant[]
  readonly targets: readonly DraftTarget[]
  readonly guardrails: readonly DraftTarget[]
  readonly isPlanned: boolean
  readonly minimumEffect: string
  readonly power: string
  /** Without a field. */
  readonly alpha: number | undefined
  readonly exposureEvent: string
  readonly surfaces: readonly DraftSurface[]
  readonly changes: readonly DraftChange[]
  readonly acknowledgeOverlap: boolean
}

export const emptyTarget: DraftTarget = {
  eventName: '',
  name: '',
  direction: 'increase',
  windowHours: '',
  isMean: false,
  property: '',
  meanOptions: {},
  filters: [],
  margin: '2',
}
export const emptySurface: DraftSurface = { path: '', anchor: '' }
export const emptyEdit: DraftEdit = { find: '', replace: '', variant: '1' }
export const emptyChange: DraftChange = { path: '', action: 'modify', content: '', edits: [emptyEdit] }

export const newDraft: ExperimentDraft = {
  name: '',
  key: '',
  hypothesis: '',
  mechanism: '',
  notes: '',
  priority: 'medium',
  variants: [
    { key: '', displayName: 'Control', trafficSplit: '50' },
    { key: '', displayName: 'Treatment', trafficSplit: '50' },
  ],
  targets: [emptyTarget],
  guardrails: [],
  isPlanned: true,
  minimumEffect: '10',
  power: '80',
  alpha: undefined,
  exposureEvent: '',
  surfaces: [],
  changes: [],
  acknowledgeOverlap: false,
}

/** The draft of an experiment as it is. Its changes cannot be read back from the API. */
export function draftOf(experiment: Schemas['Experiment']): ExperimentDraft {
  const { name, key, hypothesis, mechanism, notes, priority, sizing } = experiment
  const targets = experiment.conversionTargets
  return {
    ...newDraft,
    name,
    key,
    hypothesis,
    mechanism,
    notes,
    priority,
    variants: experiment.variants.map((variant) => ({ ...variant, trafficSplit: `${variant.trafficSplit}` })),
    targets: targets.filter(({ role }) => role === undefined).map(draftTarget),
    guardrails: targets.filter(({ role }) => role === 'guardrail').map(draftTarget),
    isPlanned: sizing !== null,
    minimumEffect: percentText(Math.abs(sizing?.minimumEffect ?? 0.1)),
    power: percentText(sizing?.power ?? 0.8),
    alpha: sizing?.alpha,
    exposureEvent: sizing?.exposureEvent ?? '',
    surfaces: experiment.surfaces.map(({ path, anchor }) => ({ path, anchor: anchor ?? '' })),
  }
}

/** The same experiment anew, under a name and a key that are free. */
export function duplicateOf(experiment: Schemas['Experiment']): ExperimentDraft {
  const draft = draftOf(experiment)
  return {
    ...draft,
    name: `${draft.name} (copy)`,
    key: '',
    variants: draft.variants.map((variant) => ({ ...variant, key: '' })),
  }
}

const noMean = { property: '', type: 'mean' } as const

function draftTarget(target: Schemas['ConversionTarget']): DraftTarget {
  const { metric } = target
  const { property, type: _, ...meanOptions } = metric?.type === 'mean' ? metric : noMean
  return {
    eventName: target.eventName,
    name: target.name === target.eventName ? '' : target.name,
    direction: target.direction,
    windowHours: target.windowHours === null ? '' : `${target.windowHours}`,
    isMean: metric?.type === 'mean',
    property,
    meanOptions,
    filters: target.filters.map((filter) => ({
      property: filter.property,
      operator: filter.operator,
      value: 'value' in filter ? operandText(filter.value, filter.operator) : '',
    })),
    margin: percentText(target.margin ?? 0.02),
  }
}

/** The body that creates the experiment; text that is no number becomes `null`, which the API refuses. */
export function createBody(draft: ExperimentDraft): CreateBody {
  const { key, hypothesis, mechanism, notes, priority, surfaces, changes } = draft
  return {
    name: draft.name,
    ...(key === '' ? {} : { key }),
    ...(hypothesis === '' ? {} : { hypothesis }),
    ...(mechanism === '' ? {} : { mechanism }),
    ...(notes === '' ? {} : { notes }),
    ...(priority === 'medium' ? {} : { priority }),
    variants: draft.variants.map(({ displayName, trafficSplit }) => ({
      displayName,
      trafficSplit: numberOf(trafficSplit),
    })),
    conversionTargets: targetsOf(draft),
    ...(draft.isPlanned ? { sizing: sizingOf(draft) } : {}),
    ...(surfaces.length === 0 ? {} : { surfaces: surfaces.map(surfaceOf) }),
    ...(changes.length === 0 ? {} : { changes: changes.map((change) => changeOf(change, draft.variants)) }),
    ...(draft.acknowledgeOverlap ? { acknowledgeOverlap: true } : {}),
  }
}

/** The fields that differ from the experiment as it was read. */
export function updateBody(draft: ExperimentDraft, read: ExperimentDraft): UpdateBody {
  const [wanted, before] = [fieldsOf(draft), fieldsOf(read)]
  return Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof UpdateBody]),
    ),
  )
}

function fieldsOf(draft: ExperimentDraft): Required<UpdateBody> {
  const { name, hypothesis, mechanism, notes, priority } = draft
  return {
    name,
    hypothesis,
    mechanism,
    notes,
    priority,
    variants: draft.variants.map(({ key, trafficSplit }) => ({ key, trafficSplit: numberOf(trafficSplit) })),
    conversionTargets: targetsOf(draft),
    sizing: draft.isPlanned ? sizingOf(draft) : null,
  }
}

/** Fields that were edited stay; the others follow what someone else has saved. */
export function mergeDrafts(
  mine: ExperimentDraft,
  read: ExperimentDraft,
  theirs: ExperimentDraft,
): ExperimentDraft {
  const names = Object.keys(mine) as (keyof ExperimentDraft)[]
  const followed = names.filter((name) => JSON.stringify(mine[name]) === JSON.stringify(read[name]))
  return { ...mine, ...Object.fromEntries(followed.map((name) => [name, theirs[name]])) }
}

/** Guardrails come last, as in the API. */
function targetsOf({ targets, guardrails }: ExperimentDraft): TargetInput[] {
  return [
    ...targets.map(targetBody),
    ...guardrails.map((target) => ({
      ...targetBody(target),
      role: 'guardrail' as const,
      margin: shareOf(target.margin),
    })),
  ]
}

export function targetBody(target: DraftTarget): TargetInput {
  const { eventName, name, direction, windowHours, isMean, property, filters } = target
  return {
    eventName,
    ...(name === '' ? {} : { name }),
    ...(direction === 'increase' ? {} : { direction }),
    ...(windowHours.trim() === '' ? {} : { windowHours: numberOf(windowHours) }),
    ...(filters.length === 0 ? {} : { filters: filtersToBody(filters) }),
    ...(isMean ? { metric: { type: 'mean' as const, property, ...target.meanOptions } } : {}),
  }
}

function sizingOf(draft: ExperimentDraft): Schemas['SizingInput'] {
  const { exposureEvent, alpha } = draft
  return {
    minimumEffect: effectOf(draft),
    ...(draft.power === '80' ? {} : { power: shareOf(draft.power) }),
    ...(alpha === undefined || alpha === 0.05 ? {} : { alpha }),
    ...(exposureEvent === '' ? {} : { exposureEvent }),
  }
}

/** The smallest effect, in the direction in which the primary target gets better. */
export function effectOf({ minimumEffect, targets }: ExperimentDraft): number {
  return shareOf(minimumEffect) * (targets[0]?.direction === 'decrease' ? -1 : 1)
}

function surfaceOf({ path, anchor }: DraftSurface) {
  return { path, ...(anchor === '' ? {} : { anchor }) }
}

function changeOf({ path, action, content, edits }: DraftChange, variants: readonly DraftVariant[]): Change {
  if (action === 'delete') return { path, action }
  if (action === 'create') return { path, action, content }
  const keys = variantKeys(variants)
  return {
    path,
    action,
    edits: edits.map(({ find, replace, variant }) => ({
      find,
      replace,
      ...(variant === '' ? {} : { variant: keys[Number(variant)] ?? '' }),
    })),
  }
}

/** Whole percents; the first ones get what is left over. */
export function evenSplits(variants: readonly DraftVariant[]): DraftVariant[] {
  const each = Math.floor(100 / variants.length)
  const rest = 100 - each * variants.length
  return variants.map((variant, index) => ({
    ...variant,
    trafficSplit: `${each + (index < rest ? 1 : 0)}`,
  }))
}

/** The keys that the API makes from the names. */
export function variantKeys(variants: readonly Pick<DraftVariant, 'displayName'>[]): string[] {
  const keys: string[] = []
  for (const { displayName } of variants)
    keys.push(freeSlug(slugOf(displayName, 'variant'), (taken) => keys.includes(taken)))
  return keys
}

/** NaN, which JSON writes as `null`, for what is not a number. */
export function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text)
}

/** Without the noise of a division by 100. */
export const shareOf = (percent: string): number => Number((numberOf(percent) / 100).toPrecision(12))
const percentText = (share: number): string => `${Number((share * 100).toPrecision(12))}`
