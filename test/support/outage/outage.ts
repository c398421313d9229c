import { type Memory, watchMemory } from '../../../bench/support/cost/process-tree.js'
import { type Answer, call, until } from '../service.js'

/** A status and how long it took. */
export interface Timed {
  readonly status: number
  readonly ms: number
  readonly retryAfter: string | null
  readonly code: string | undefined
}

export async function timed(ask: () => Promise<Answer<Record<string, unknown> | null>>): Promise<Timed> {
  const startedAt = performance.now()
  const { status, headers, body } = await ask()
  const code = typeof body?.code === 'string' ? body.code : undefined
  return { status, ms: performance.now() - startedAt, retryAfter: headers.get('retry-after'), code }
}

/** The answer of `/readyz`. */
export interface Readiness {
  readonly status: number
  /** Names of the stores that are missed. */
  readonly down: readonly string[]
  readonly ms: number
  readonly messages: readonly string[]
}

interface ReadyBody {
  readonly down: string[]
  readonly stages: { readonly checks: { readonly ok: boolean; readonly message: string }[] }[]
}

/** A program with an operators' port. */
interface WithAdmin {
  readonly admin: string
}

export async function readiness(service: WithAdmin): Promise<Readiness> {
  const startedAt = performance.now()
  const { status, body } = await call<ReadyBody>(undefined, 'GET', `${service.admin}/readyz`)
  const checks = body.stages.flatMap((stage) => stage.checks)
  return {
    status,
    down: body.down,
    ms: performance.now() - startedAt,
    messages: checks.filter((check) => !check.ok).map((check) => check.message),
  }
}

/** Waits until `/readyz` names a store, or `ready` for none; the last answer either way. */
export function untilReadiness(
  service: WithAdmin,
  wanted: 'ready' | 'log' | 'postgres' | 'clickhouse',
  seconds = 60,
): Promise<Readiness> {
  return until(
    () => readiness(service),
    ({ status, down }) => (wanted === 'ready' ? status === 200 : down.includes(wanted)),
    seconds,
  )
}

/** How the memory of programs grows (PSS of all their processes, megabytes) until stopped. */
export function watchGrowth(programs: readonly { readonly pid?: number | undefined }[]): {
  stop(): { readonly first: number; readonly most: number }
} {
  const memory = watchMemory(...programs.flatMap(({ pid }) => (pid === undefined ? [] : [pid])))
  const megabytes = ({ all }: Memory): number => Math.round(all / 2 ** 20)
  return { stop: () => ({ first: megabytes(memory.first), most: megabytes(memory.most()) }) }
}
