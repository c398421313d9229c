export { findStatus, type StatusRow } from './find-status.js'
export {
  controlSplitProblems,
  isUsableKey,
  requireVariant,
  type SurfaceInput,
  splitProblems,
  type TargetInput,
  toSurfaces,
  toTargets,
  toVariants,
  type VariantInput,
} from './input.js'
export { countByStatus, EXPERIMENT_SORTS, listExperiments } from './list-experiments.js'
export { eventHistoryOf, experimentReadiness, READINESS_MS, type StartCheck } from './readiness.js'
export { refuseOverlap } from './refuse-overlap.js'
export { experimentServing } from './serving.js'
export {
  type EditableFields,
  findDueDecisions,
  findExperiment,
  findExperimentWithChanges,
  insertExperiment,
  lockExperiment,
  lockExperimentIfExists,
  lockPending,
  lookUpExperiment,
  type NewExperiment,
  type PlannedExperiment,
  type Rewritten,
  readTeamNotes,
  rewriteExperiment,
  type TransitionFields,
  transitionExperiment,
  updateFields,
  writeCleanupNote,
  writePullRequest,
  writeSnapshot,
} from './store.js'
export { auditLabel, illegalTransition, requireLegal, STATUS_TEXTS } from './transitions.js'
export {
  type ConversionTarget,
  DISMISSAL_REASONS,
  type Dismissal,
  EXPERIMENT_LIMITS,
  type ExperimentPullRequest as PullRequest,
  type ExperimentReference,
  type ExperimentRow,
  type FileChange as Change,
  KINDS,
  KNOWN_DISMISSAL_REASONS,
  ORIGINS,
  PRIORITIES,
  REJECTED_STAGES,
  type Snapshot,
  type Surface,
  TEST_TYPES,
  type Variant,
} from './types.js'
export { insertWithUniqueKey } from './unique-key.js'
