import { setTimeout as sleep } from 'node:timers/promises'
import type { FunnelQuery, FunnelResult } from '../../../domain/funnel.js'
import { exchange } from '../clients/wire.js'
import type { System } from './system.js'

export type FunnelFigures = Pick<FunnelResult, 'entered' | 'completed' | 'steps'>

const LIMIT_MS = 60_000
const PAUSE_MS = 300

/** Queries a funnel over HTTP until the API answers. */
export async function queryFunnel(
  system: System,
  steps: readonly { readonly eventName: string }[],
  { from, to, windowSeconds }: Pick<FunnelQuery, 'from' | 'to' | 'windowSeconds'>,
): Promise<FunnelFigures> {
  const body = {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    windowSeconds,
    steps: steps.map(({ eventName }) => ({ eventName })),
  }
  let last = 'no API'
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await sleep(PAUSE_MS)) {
    const { api, apiKey } = system.target(0)
    if (api === undefined) continue
    const answer = await exchange(`${api}/v1/funnel/query`, apiKey, {
      method: 'POST',
      bytes: Buffer.from(JSON.stringify(body)),
      headers: {},
      timeoutMs: 40_000,
    })
    last = JSON.stringify(answer)
    if (answer.kind === 'answer' && answer.status === 200) return JSON.parse(answer.body) as FunnelFigures
  }
  throw new Error(`no funnel of ${steps.map(({ eventName }) => eventName).join(', ')}: ${last}`)
}
