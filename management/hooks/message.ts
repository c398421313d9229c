import { createHmac } from 'node:crypto'
import type { DeliveryRow } from './store.js'

type Event = Pick<DeliveryRow, 'id' | 'kind' | 'at' | 'data'>

/** `t=SECONDS,v1=HEX`: HMAC-SHA-256 of `t.body` under the secret of the hook. */
export function signatureOf(secret: string, body: string, now: number): string {
  const seconds = Math.floor(now / 1_000)
  const hmac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${hmac}`
}

export function svcBody({ id, kind, at, data }: Event, workspaceId: string): string {
  return JSON.stringify({ id, kind, at, workspaceId, data })
}

/** A message as Slack, and those that imitate it, accept it. */
export function slackBody(event: Event, consoleUrl: string | undefined): string {
  const text = escaped(sentenceOf(event))
  if (consoleUrl === undefined) return JSON.stringify({ text })
  return JSON.stringify({ text: `${text} <${new URL(pathOf(event), consoleUrl).href}|Open in svc>` })
}

function sentenceOf({ kind, data }: Event): string {
  const experiment = `the experiment ${JSON.stringify(data.experimentName ?? '')}`
  switch (kind) {
    case 'results.ready':
      return `There is enough data to read the results of ${experiment}. ${verdictOf(data.verdict)}`.trim()
    case 'results.broken_split':
      return `The split of ${experiment} is broken, so no figure shows what a variant causes.`
    case 'proposals.ready':
      return data.proposals === 1
        ? 'One new proposal is ready.'
        : `${data.proposals} new proposals are ready.`
    case 'dead_letters.appeared':
      return 'Some events could not be stored. An operator sees them with `svc admin dead-letters list`.'
    default:
      return `${data.actorPersonName}: ${data.summary}.`
  }
}

function verdictOf(verdict: unknown): string {
  const text = typeof verdict === 'object' && verdict !== null && 'text' in verdict ? verdict.text : ''
  return typeof text === 'string' ? text : ''
}

/** The page of the console that shows the subject. */
function pathOf({ kind, data }: Event): string {
  if (typeof data.experimentId === 'string') return `/experiments/${data.experimentId}`
  if (kind === 'proposals.ready') return '/proposals'
  if (data.resourceType === 'experiment') return `/experiments/${data.resourceId}`
  if (data.resourceType === 'funnel') return `/funnels/${data.resourceId}`
  return data.resourceType === 'learning' ? '/learnings' : '/'
}

/** Keeps names from being read as links and mentions. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
