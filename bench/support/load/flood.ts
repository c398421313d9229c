import { type HttpAnswer, openLane } from './lanes.js'

/** The flooded service. */
export interface Flooding {
  readonly url: string
  readonly key: string
  /** CPU seconds so far. */
  cpu(): CpuSeconds
}

export interface CpuSeconds {
  readonly api: number
  readonly postgres: number
}

export interface Flooded {
  readonly times: readonly number[]
  readonly seconds: number
  readonly cpu: CpuSeconds
}

/** Connections that send again after every response. */
export async function flood(
  bench: Flooding,
  lanes: number,
  seconds: number,
  next: () => string,
  status: number,
): Promise<Flooded> {
  const open = await Promise.all(Array.from({ length: lanes }, () => openLane(bench.url)))
  const times: number[] = []
  const before = bench.cpu()
  const started = performance.now()
  const end = started + seconds * 1_000
  await Promise.all(
    open.map(async (lane) => {
      while (performance.now() < end) {
        const sent = performance.now()
        const answer = await lane.exchange(next())
        times.push(performance.now() - sent)
        expectStatus(answer, status, 'flood')
      }
      lane.close()
    }),
  )
  return { times, seconds: (performance.now() - started) / 1_000, cpu: cpuSince(bench, before) }
}

export function expectStatus(answer: HttpAnswer, status: number, what: string): void {
  if (answer.status !== status) throw new Error(`${what}: ${answer.text.slice(0, 2_000)}`)
}

export function cpuSince(bench: Flooding, before: CpuSeconds): CpuSeconds {
  const now = bench.cpu()
  return { api: now.api - before.api, postgres: now.postgres - before.postgres }
}
