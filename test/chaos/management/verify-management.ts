import { STATUSES, type Status, TRANSITIONS } from '../../../domain/lifecycle.js'
import type { FAULTY } from '../verify/verify.js'
import type { AuditBook, ExperimentBook, ManagementBooks } from './books.js'
import { type ManagementTruth, markOf, type Write } from './truth.js'

type Find = (kind: (typeof FAULTY)[number], text: string) => void

export interface ManagementComparison {
  readonly truth: ManagementTruth
  readonly books: ManagementBooks
  /** By the clock of the machine, milliseconds. */
  readonly now: number
  readonly find: Find
}

/** Transitions that the service makes by itself, by their audit entries. */
const BY_SERVICE: Readonly<Record<string, { readonly name: keyof typeof TRANSITIONS; readonly to: Status }>> =
  {
    opened: { name: 'prWritten', to: 'pr_open' },
    failed: { name: 'prWritten', to: 'pr_failed' },
    merged: { name: 'prMerged', to: 'ready' },
    closed: { name: 'prClosed', to: 'rejected' },
    replaced: { name: 'dismiss', to: 'dismissed' },
  }
/** Entries of an experiment that move nothing. */
const NO_TRANSITION = /^(create|update|rewritten|repair|(cleanup|repair)-.*)$/
const CLEANED: readonly Status[] = ['shipped', 'rejected']

/**
 * Compares what Postgres and the repository hold with what the team was told. Returns how many jobs were
 * found done once.
 */
export function verifyManagement(comparison: ManagementComparison): number {
  compareWrites(comparison)
  compareContents(comparison)
  for (const experiment of comparison.books.experiments) compareTrail(comparison, experiment)
  return compareRuns(comparison) + compareLearnings(comparison) + comparePullRequests(comparison)
}

const nameOf = ({ action, number, outcome }: Write): string => `${action} ${number} (${outcome})`

/** Every request that was answered as done has one audit entry, and every entry has its request. */
function compareWrites({ truth, books, find }: ManagementComparison): void {
  const created = new Map<string, string>()
  for (const { id, key } of books.experiments) created.set(key, id)
  for (const { id, name } of books.funnels) created.set(name, id)
  const counts = new Map<string, { done: Write[]; unknown: number; entries: number }>()
  const countOf = (action: string, resource: string) => {
    const key = `${action} ${resource}`
    const count = counts.get(key) ?? { done: [], unknown: 0, entries: 0 }
    counts.set(key, count)
    return count
  }
  const runsUnknown = truth.writes.filter(
    ({ action, outcome }) => action === 'experiment.generate' && outcome === 'unknown',
  ).length
  for (const write of truth.writes) {
    const resource = write.resource ?? created.get(write.creates ?? '')
    if (write.outcome === 'refused' && write.creates !== undefined && created.has(write.creates))
      find('wrong', `${nameOf(write)} created ${write.creates}`)
    if (resource === undefined) continue
    const count = countOf(write.action, resource)
    count.unknown += write.repeats
    if (write.outcome === 'done') count.done.push(write)
    else if (write.outcome === 'unknown') count.unknown++
  }
  for (const { action, resource, byRequest } of books.audit)
    if (byRequest) countOf(action, resource).entries++
  let strangers = 0
  for (const [key, { done, unknown, entries }] of counts) {
    if (entries < done.length) {
      const names = done.map(nameOf).join(', ')
      find('lost', `${entries} audit entries "${key}" for ${done.length} requests: ${names}`)
    }
    if (entries > done.length + unknown) {
      if (key.startsWith('experiment.generate ') && done.length === 0) strangers += entries
      // It was created and deleted without an answer to the first request.
      else if (!key.startsWith('funnel.') || done.length + unknown > 0)
        find(
          'doubled',
          `${entries} audit entries "${key}" for ${done.length} requests and ${unknown} unknown`,
        )
    }
  }
  if (strangers > runsUnknown) find('doubled', `${strangers} runs for ${runsUnknown} requests that may have`)
}

/** Created resources exist, and the text fields that one request wrote are all from that request. */
function compareContents({ truth, books, find }: ManagementComparison): void {
  const deleted = new Set(
    truth.writes
      .filter(({ action, outcome }) => action === 'funnel.delete' && outcome !== 'refused')
      .map(({ resource }) => resource),
  )
  const rows = new Map<string, { readonly texts: readonly string[]; readonly isProposal: boolean }>()
  for (const { id, texts, origin } of books.experiments)
    rows.set(id, { texts, isProposal: origin === 'generated' })
  for (const { id, texts } of books.funnels) rows.set(id, { texts, isProposal: false })
  for (const { id, interpretation } of books.learnings)
    rows.set(id, { texts: [interpretation], isProposal: false })
  const writers = new Map<string, Write[]>()
  for (const write of truth.writes) {
    const { action, outcome } = write
    const id = write.resource ?? books.funnels.find(({ name }) => name === write.creates)?.id
    if (id === undefined || outcome === 'refused') continue
    if (!action.endsWith('.create') && !action.endsWith('.update')) continue
    writers.set(id, [...(writers.get(id) ?? []), write])
    if (outcome === 'done' && !rows.has(id) && !deleted.has(id)) find('lost', `${nameOf(write)}: it is gone`)
  }
  for (const [id, writes] of writers) {
    const row = rows.get(id)
    if (row === undefined) continue
    const [first = ''] = row.texts
    if (row.texts.some((text) => text !== first)) {
      // A proposal keeps the generator's texts until a member changes it.
      if (!row.isProposal || row.texts.some((text) => text.startsWith('written by')))
        find('torn', `${id} has the fields ${JSON.stringify(row.texts)}`)
      else if (writes.some(({ outcome }) => outcome === 'done')) find('lost', `the changes of ${id}`)
      continue
    }
    const last = writes.find(({ number }) => markOf(number) === first)
    const later = writes.find(
      (write) => write.outcome === 'done' && last?.repeats === 0 && write.startedAt > last.endedAt,
    )
    if (later !== undefined && last !== undefined)
      find('lost', `${nameOf(later)}: ${id} still has what ${nameOf(last)} wrote`)
    if (last === undefined && writes.some(({ outcome }) => outcome === 'done'))
      find('lost', `${id} has ${JSON.stringify(first)}, which is of no request`)
  }
}

/** A chain of legal transitions, one for each audit entry, leads to the state. */
function compareTrail({ books, now, find }: ManagementComparison, experiment: ExperimentBook): void {
  const { id, key, status, origin, settlesAt } = experiment
  const entries = books.audit
    .filter(({ resource, action }) => resource === id && action.startsWith('experiment.'))
    .map(transitionOf)
    .filter((name) => !NO_TRANSITION.test(name))
  const isLegal =
    STATUSES.includes(status) && leadsTo(origin === 'api' ? 'generating_pr' : 'proposed', status, entries)
  if (!isLegal) find('illegal', `${key} is ${status} after ${entries.sort().join(', ')}`)
  if (status === 'generating_pr') find('lost', `the pull request of ${key} is still being written`)
  if (status === 'settling' && (settlesAt?.getTime() ?? 0) < now - 60_000)
    find('lost', `the decision of ${key} has not settled since ${settlesAt?.toISOString()}`)
}

function leadsTo(from: Status, to: Status, entries: readonly string[]): boolean {
  if (entries.length === 0 && from === to) return true
  return entries.some((action, i) => {
    if (entries.indexOf(action) !== i) return false
    const left = entries.filter((_, other) => other !== i)
    return nextOf(from, action).some((next) => leadsTo(next, to, left))
  })
}

/** The action, or which of its transitions it was if the request decided that. */
function transitionOf({ action, summary }: AuditBook): string {
  if (action === 'experiment.decide' && summary.endsWith(' at once')) return 'decideAtOnce'
  if (action === 'experiment.end' && summary.startsWith('Concluded')) return 'conclude'
  return action === 'experiment.settled' ? 'settle' : action.slice('experiment.'.length)
}

function nextOf(from: Status, transition: string): readonly Status[] {
  const known = BY_SERVICE[transition]
  const rule = Object.entries(TRANSITIONS).find(([name]) => name === (known?.name ?? transition))?.[1]
  if (rule === undefined || !(rule.from as readonly Status[]).includes(from)) return []
  if (known !== undefined) return [known.to]
  return typeof rule.to === 'string' ? [rule.to] : Object.values(rule.to)
}

/** A run ends, and the proposals that it reports as stored are there once. */
function compareRuns({ truth, books, find }: ManagementComparison): number {
  for (const { outcome, resource } of truth.writes.filter(({ action }) => action === 'experiment.generate'))
    if (outcome === 'done' && !books.runs.some(({ id }) => id === resource))
      find('lost', `the run ${resource}`)
  for (const { id, status, survived } of books.runs) {
    const stored = books.experiments.filter(({ runId }) => runId === id).length
    if (status !== 'succeeded' && status !== 'failed') find('lost', `the run ${id} is ${status}`)
    const entries = books.audit.filter((entry) => entry.resource === id && !entry.byRequest).length
    if (entries !== 1)
      find(entries > 1 ? 'doubled' : 'lost', `${entries} audit entries of the end of the run ${id}`)
    if (stored > survived) find('doubled', `${stored} proposals of the run ${id}, which stored ${survived}`)
    if (stored < survived) find('torn', `${stored} proposals of the run ${id}, which stored ${survived}`)
  }
  return books.runs.length
}

/** Every outcome is written up once. */
function compareLearnings({ books, find }: ManagementComparison): number {
  for (const { id, key, status, rejectedStage } of books.experiments) {
    const hasOutcome =
      status === 'shipped' || status === 'concluded' || (status === 'rejected' && rejectedStage === 'outcome')
    const written = books.learnings.filter(({ experimentId }) => experimentId === id).length
    if (hasOutcome && written === 0) find('lost', `the learning of ${key}, which is ${status}`)
    if (written > (hasOutcome ? 1 : 0)) find('doubled', `${written} learnings of ${key}, which is ${status}`)
  }
  for (const { id } of books.learnings) {
    const entries = books.audit.filter(
      ({ action, resource }) => action === 'learning.create' && resource === id,
    ).length
    if (entries !== 1)
      find(entries > 1 ? 'doubled' : 'lost', `${entries} audit entries of the learning ${id}`)
  }
  return books.learnings.length
}

/**
 * One pull request, with one branch of one commit, for every approved experiment; one cleanup for each end.
 */
function comparePullRequests({ books, find }: ManagementComparison): number {
  const numbers = books.pullRequests.flatMap(({ number }) => (number === null ? [] : [number]))
  if (new Set(numbers).size < numbers.length) find('doubled', 'a number of a pull request')
  for (const { id, key, status, rejectedStage } of books.experiments) {
    const own = books.pullRequests.filter((row) => row.experimentId === id)
    const [pr] = own.filter(({ purpose }) => purpose === 'pr')
    const isApproved = status !== 'proposed' && status !== 'dismissed'
    if (isApproved !== (pr !== undefined))
      find(isApproved ? 'lost' : 'wrong', `${key} is ${status}, with ${own.length} pull requests`)
    const isCleaned = CLEANED.includes(status) && rejectedStage !== 'pr'
    const cleanups = own.filter(({ purpose }) => purpose === 'cleanup').length
    if (isCleaned && pr?.state === 'merged' && cleanups === 0) find('lost', `the cleanup of ${key}`)
    if (cleanups > (isCleaned ? 1 : 0)) find('doubled', `${cleanups} cleanups of ${key}, which is ${status}`)
  }
  for (const { branch, purpose, state, error } of books.pullRequests) {
    const commits = books.branches.get(branch)
    if (state === 'writing') find('lost', `the pull request ${branch} is still being written`)
    if (state === 'open' && commits === undefined && !books.closed.has(branch))
      find('lost', `the branch ${branch} of an open pull request`)
    // A cleanup is written anew when its base has changed.
    if (state === 'open' && purpose === 'pr' && commits !== undefined && commits !== 1)
      find('doubled', `${commits} commits on ${branch}`)
    if (state === 'failed') find('wrong', `the pull request ${branch} failed: ${error}`)
  }
  for (const branch of books.branches.keys())
    if (!books.pullRequests.some((row) => row.branch === branch)) find('doubled', `the branch ${branch}`)
  return books.pullRequests.length
}
