import { countVocabulary, MANY_NAMES } from '../../clickhouse/queries/vocabulary.js'
import { pluralize } from '../../domain/text/format.js'
import { LlmError } from '../../generators/llm/llm-error.js'
import type { Services } from '../../management/services.js'
import { exportState } from '../../postgres/tables/exported-days.js'
import { readHiddenNames } from '../../postgres/tables/hidden-event-names.js'
import { readRefusedLinks } from '../../postgres/tables/refused-links.js'
import { deadlineSignal } from '../../runtime/concurrency/deadline-signal.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { errorMessage } from '../../runtime/errors.js'

const CHECK_MS = 1_500

export interface ReadinessCheck {
  /** `export` only if events are exported. */
  readonly code: 'repository' | 'generator' | 'events_received' | 'log' | 'clickhouse' | 'export'
  readonly ok: boolean
  readonly message: string
  /** Advice to the reader; empty if ok. */
  readonly fix: string
}

/**
 * Checks that a workspace has all it needs to generate and to run experiments. Each takes at most 1.5 s.
 *
 * @returns `ingestUrl`: where clients send events; null if this process does not know. `refusedLinks`: of the
 * last seven days; null if the database does not answer
 */
export async function readinessOf(services: Services, workspaceId: string, trial?: AbortSignal) {
  const [repository, events, log, clickhouse, exported, refusedLinks] = await Promise.all([
    repositoryCheck(services, workspaceId),
    eventsCheck(services, workspaceId),
    logCheck(services),
    clickhouseCheck(services),
    exportChecks(services, workspaceId),
    answered(readRefusedLinks(services.sql, workspaceId)),
  ])
  const generator = await generatorCheck(services, trial)
  return {
    canGenerate: repository.ok && generator.ok,
    canRun: events.ok && log.ok && clickhouse.ok,
    checks: [repository, generator, events, log, clickhouse, ...exported],
    ingestUrl: services.ingestUrl() ?? null,
    refusedLinks: refusedLinks ?? null,
  }
}

/** @param fix what to do; left out if all is well */
function checkOf(code: ReadinessCheck['code'], message: string, fix = ''): ReadinessCheck {
  return { code, ok: fix === '', message, fix }
}

/**
 * Each question costs money, so the model is asked only on demand. A run that fails reports why.
 * @param trial ends the question; undefined: do not ask
 */
async function generatorCheck(
  { generator }: Services,
  trial: AbortSignal | undefined,
): Promise<ReadinessCheck> {
  if (generator.kind === 'rules')
    return checkOf(
      'generator',
      'Rules write the proposals. For other ideas, connect a language model (SVC_LLM_URL)',
    )
  const model = `The model ${generator.model} at ${new URL(generator.url).host}`
  if (trial === undefined) return checkOf('generator', `${model} writes the proposals`)
  try {
    const { tryModel } = await import('../../generators/llm/try-model.js')
    const seconds = await tryModel(generator, trial)
    return checkOf('generator', `${model} writes the proposals; it answered in ${seconds.toFixed(1)} s`)
  } catch (error) {
    if (!(error instanceof LlmError)) throw error
    return checkOf(
      'generator',
      `${model} gave no answer to use: ${error.message}`,
      'Do as the message says, or try again in a minute',
    )
  }
}

const CONNECT = '`svc admin repository connect`'

async function repositoryCheck({ repositories }: Services, workspaceId: string): Promise<ReadinessCheck> {
  const code = 'repository'
  try {
    const repository = await withTimeout(CHECK_MS, 'the repository', repositories.of(workspaceId))
    if (repository === undefined)
      return checkOf(
        code,
        'No repository is connected',
        `Ask the operator of this service to connect one with ${CONNECT}`,
      )
    const { host, settings } = repository
    const check = await withTimeout(CHECK_MS, host.name, host.check(deadlineSignal(CHECK_MS)))
    if (check.ok) return checkOf(code, check.message)
    const fix =
      check.code === 'unauthorised'
        ? `Connect it again with ${CONNECT} and a token that may write contents and pull requests`
        : check.code === 'unsupported'
          ? 'Ask the operator of this service to do as the message says'
          : `Do as the message says, or connect the repository again with ${CONNECT}`
    const passes = settings.kind !== 'local' && check.code === 'unavailable'
    return checkOf(code, `${host.name}: ${check.message}`, passes ? 'Try again in a minute' : fix)
  } catch (error) {
    return checkOf(
      code,
      `The repository does not answer: ${errorMessage(error)}`,
      `Try again in a minute; if it still fails, connect it again with ${CONNECT}`,
    )
  }
}

async function eventsCheck(services: Services, workspaceId: string): Promise<ReadinessCheck> {
  const { clickhouse, sql } = services
  const hidden = await answered(readHiddenNames(sql, workspaceId))
  const received = await answered(
    countVocabulary(clickhouse, workspaceId, { hidden, signal: deadlineSignal(CHECK_MS) }),
  )
  if (received === undefined)
    return checkOf(
      'events_received',
      'Received events cannot be counted: the event store does not answer',
      'Try again once the check `clickhouse` is ok',
    )
  const { events, names, hiddenNames } = received
  if (names === 0)
    return checkOf(
      'events_received',
      'No event has been received yet',
      'Send events to `POST /v1/events` of the ingestion API with a server key',
    )
  const message = `Received ${pluralize(events, 'event')} with ${pluralize(names, 'different name')}`
  if (names - hiddenNames <= MANY_NAMES) return checkOf('events_received', message)
  return checkOf(
    'events_received',
    `${message}. So many names usually contain ids, and are slow to list: send ids as properties, and hide these names with \`svc events hide 'order_*'\``,
  )
}

async function logCheck(services: Services): Promise<ReadinessCheck> {
  const message =
    services.log === undefined
      ? await reportedProblem(services)
      : await answered(services.log.ping().then(() => '')).then(
          (found) => found ?? 'The event log does not answer',
        )
  return message === ''
    ? checkOf('log', 'The event log accepts records')
    : checkOf('log', message, 'Ask the operator of this service')
}

/**
 * Without a connection to the log: what the gateways last reported, every five seconds. Empty if it accepts
 * records.
 */
async function reportedProblem({ sql }: Services): Promise<string> {
  const reports = await answered(
    sql<{ problem: string | null }[]>`
      select w.problem from log_writers w join logs l on l.id = w.log_id
      where l.closing_at is null and l.drained_at is null and w.renewed_at > clock_timestamp() - interval '15 seconds'`.then(
      (rows) => [...rows],
    ),
  )
  if (reports === undefined) return 'Whether the event log takes records cannot be found out'
  if (reports.length === 0) return 'No ingestion gateway has reported lately'
  return reports.some(({ problem }) => problem === null) ? '' : 'The event log takes no records'
}

async function clickhouseCheck(services: Services): Promise<ReadinessCheck> {
  const ping = services.clickhouse.ping(deadlineSignal(CHECK_MS)).then(() => true)
  const ok = (await answered(ping)) ?? false
  return ok
    ? checkOf('clickhouse', 'The event store answers')
    : checkOf('clickhouse', 'The event store does not answer', 'Ask the operator of this service')
}

/** The value; undefined if it fails or is late. */
function answered<Value>(work: Promise<Value>): Promise<Value | undefined> {
  return withTimeout(CHECK_MS, 'a check', work).catch(() => undefined)
}

/** The nightly export to S3-compatible storage; nothing if no bucket is set. */
async function exportChecks({ sql, exports }: Services, workspaceId: string): Promise<ReadinessCheck[]> {
  const state = exports && (await answered(exportState(sql, workspaceId)))
  if (state === undefined) return []
  const { failing, writtenThrough } = state
  if (failing !== null)
    return [
      checkOf(
        'export',
        `The events of ${failing.day} are not exported yet: ${failing.error}`,
        'Ask the operator of this service to do as the message says; svc tries again every five minutes',
      ),
    ]
  return [
    checkOf(
      'export',
      writtenThrough === null
        ? 'Each day of events is exported once it is over'
        : `Events are exported up to ${writtenThrough}`,
    ),
  ]
}
