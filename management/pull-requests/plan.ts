import { type LocatedFile, locateFiles } from '../../repositories/locate.js'
import { unifiedDiff } from '../../repositories/unified-diff.js'
import { deadlineSignal } from '../../runtime/concurrency/deadline-signal.js'
import { LruCache } from '../../runtime/concurrency/lru-cache.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { manifestPath } from '../../variants/manifest.js'
import { composeAt, summaryOf, type WrittenFile } from '../code-changes/index.js'
import type { Change, PlannedExperiment, Snapshot } from '../experiments/index.js'
import type { ConnectedRepository } from '../repositories/index.js'
import type { Services } from '../services.js'

/** How long a request waits for the repository. After that the plan has no diffs. */
const LOOK_MS = 4_000
const CACHE_BYTES = 16 * 1024 * 1024

export interface PlanFile {
  readonly path: string
  readonly action: Change['action']
  readonly summary: string
  /** Unified diff. Null if the file cannot be read. */
  readonly diff: string | null
  readonly state: 'current' | 'changed' | 'moved' | 'gone' | null
  readonly movedTo: string | null
}

export interface ShownPlan {
  /** Commit that the changes were written against. */
  readonly commit: string | null
  readonly files: readonly PlanFile[]
}

type Written = { readonly snapshot: Snapshot; readonly files: readonly WrittenFile[] | undefined }
/** The files of a plan at a commit never change. */
const writtenFiles = new LruCache<Written>(CACHE_BYTES)

/**
 * The changes of a pull request in each file, and where the file is now. Never rejects, answers within 4 s.
 */
export async function planOf(
  services: Services,
  workspaceId: string,
  experiment: PlannedExperiment,
  signal: AbortSignal,
): Promise<ShownPlan> {
  try {
    const repository = await services.repositories.of(workspaceId)
    if (repository === undefined) return { ...unknownPlan(experiment), commit: null }
    const both = deadlineSignal(LOOK_MS, signal)
    return await withTimeout(LOOK_MS, 'the repository', planIn(repository, experiment, both))
  } catch (error) {
    services.logger.debug({ err: error }, 'Plan shown without diffs: repository did not answer')
    return unknownPlan(experiment)
  }
}

/** The plan without the repository. */
function unknownPlan({ key, changes, snapshot }: PlannedExperiment): ShownPlan {
  const unknown = { diff: null, state: null, movedTo: null }
  return {
    commit: snapshot?.commit ?? null,
    files: [
      ...changes.map((change) => ({
        path: change.path,
        action: change.action,
        summary: summaryOf(change),
        ...unknown,
      })),
      {
        path: manifestPath(key),
        action: 'create',
        summary: 'Records what the experiment changed',
        ...unknown,
      },
    ],
  }
}

async function planIn(
  repository: ConnectedRepository,
  experiment: PlannedExperiment,
  signal: AbortSignal,
): Promise<ShownPlan> {
  const head = await headOf(repository, signal)
  const { snapshot, files } = await writtenAt(
    repository,
    experiment,
    experiment.snapshot?.commit ?? head,
    signal,
  )
  const known = experiment.snapshot ?? snapshot
  const located = await whereabouts(
    repository,
    {
      from: known.commit,
      to: head,
      files: experiment.changes.map(({ path, action }) => ({
        path,
        // A file that was missing in the snapshot is gone. Only `create` expects no file.
        blob: action === 'create' ? null : (known.files.find((file) => file.path === path)?.blob ?? MISSING),
      })),
    },
    signal,
  )
  const placeOf = new Map(located.map((file) => [file.path, file]))
  const shown: readonly Pick<WrittenFile, 'path' | 'action' | 'summary' | 'before' | 'after'>[] =
    files ??
    experiment.changes.map((change) => ({ ...change, summary: summaryOf(change), before: null, after: null }))
  return {
    commit: known.commit,
    files: shown.map(({ path, action, summary, before, after }) => ({
      path,
      action,
      summary,
      diff: files === undefined ? null : unifiedDiff(path, before, after),
      state: placeOf.get(path)?.state ?? 'current',
      movedTo: placeOf.get(path)?.movedTo ?? null,
    })),
  }
}

/** How long the head of a base branch is cached. GitHub limits requests. */
const HEAD_MS = { local: 0, github: 10_000 } as const
const heads = new WeakMap<ConnectedRepository, { readonly head: string; readonly until: number }>()

async function headOf(repository: ConnectedRepository, signal: AbortSignal): Promise<string> {
  const known = heads.get(repository)
  if (known !== undefined && performance.now() < known.until) return known.head
  const head = await repository.host.head(signal)
  heads.set(repository, { head, until: performance.now() + HEAD_MS[repository.settings.kind] })
  return head
}

type Question = Parameters<typeof locateFiles>[1]
const places = new LruCache<readonly LocatedFile[]>(CACHE_BYTES)

/** Cached: where files moved between two commits never changes. */
async function whereabouts(
  { host, settings }: ConnectedRepository,
  question: Question,
  signal: AbortSignal,
): Promise<readonly LocatedFile[]> {
  const name = JSON.stringify([settings.id, question])
  const known = places.get(name)
  if (known !== undefined) return known
  const located = await locateFiles(host, question, signal)
  places.set(name, located, 2 * JSON.stringify(located).length)
  return located
}

/** An object id that no blob has. */
const MISSING = '0'.repeat(40)

async function writtenAt(
  repository: ConnectedRepository,
  experiment: PlannedExperiment,
  commit: string,
  signal: AbortSignal,
): Promise<Written> {
  const { id, variants, changes } = experiment
  const name = JSON.stringify([repository.settings.id, id, commit, variants, changes])
  const known = writtenFiles.get(name)
  if (known !== undefined) return known
  const { snapshot, composed } = await composeAt(repository, commit, experiment, signal)
  const written = { snapshot, files: composed.ok ? composed.files : undefined }
  const characters = (written.files ?? []).reduce(
    (sum, { before, after }) => sum + (before?.length ?? 0) + (after?.length ?? 0),
    0,
  )
  writtenFiles.set(name, written, 2 * characters)
  return written
}
