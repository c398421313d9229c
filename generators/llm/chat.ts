import { setTimeout as sleep } from 'node:timers/promises'
import { type BackoffBounds, backoffMs } from '../../runtime/backoff.js'
import { errorMessage } from '../../runtime/errors.js'
import { type Budget, tokensOf } from './budget.js'
import { LlmError } from './llm-error.js'

/** An endpoint with OpenAI's chat completions API. `url` ends before `/chat/completions`. */
export interface Endpoint {
  url: string
  model: string
  key: string | undefined
  /** @default 1 to 30 seconds */
  backoff?: BackoffBounds
}

export interface Message {
  role: 'system' | 'user' | 'assistant'
  content: string
}

export interface Question {
  messages: readonly Message[]
  /** schema of the answer; endpoints without schemas get it in words only */
  schema: { name: string; schema: object }
  /** maximum tokens of the answer */
  answerTokens: number
}

const TRIES = 4
const LONGEST_ANSWER = 4_000_000
const BACKOFF: BackoffBounds = { initialIntervalMs: 1_000, maxIntervalMs: 30_000 }
const FORMATS = ['json_schema', 'json_object', 'none'] as const

/** Which parameters an endpoint accepts, learnt from its refusals. */
interface Manner {
  format: number
  limit: 'max_tokens' | 'max_completion_tokens'
}

export type Ask = (question: Question, budget: Budget) => Promise<string>

/**
 * Returns a function that asks the endpoint and returns its text. It retries on 408, 409, 429, 5xx, broken
 * connections and answers that are cut off, after `Retry-After` or with backoff, within the budget.
 * @throws LlmError, or the reason of the budget's signal
 */
export function chatOf(endpoint: Endpoint): Ask {
  const manner: Manner = { format: 0, limit: 'max_tokens' }
  return async (question, budget) => {
    for (let failures = 0; ; ) {
      const result = await attempt(endpoint, manner, question, budget)
      if ('text' in result) return result.text
      if (result.again === 'now') continue
      failures += 1
      if (result.again === 'never' || failures === TRIES) throw result.failure
      const wait = result.afterMs ?? backoffMs(endpoint.backoff ?? BACKOFF, failures - 1)
      if (wait > budget.leftMs()) throw result.failure
      await sleep(wait, undefined, { signal: budget.signal }).catch(() => budget.check())
    }
  }
}

type Attempt =
  | { text: string }
  | { again: 'now' }
  | { again: 'later' | 'never'; failure: LlmError; afterMs?: number }

async function attempt(
  { url, model, key }: Endpoint,
  manner: Manner,
  { messages, schema, answerTokens }: Question,
  budget: Budget,
): Promise<Attempt> {
  const asked = messages.reduce((sum, { content }) => sum + tokensOf(content), 0)
  budget.reserve(asked + answerTokens)
  const format = FORMATS[manner.format]
  const body = {
    model,
    messages,
    [manner.limit]: answerTokens,
    ...(format === 'json_schema'
      ? { response_format: { type: format, json_schema: { ...schema, strict: true } } }
      : format === 'json_object'
        ? { response_format: { type: format } }
        : {}),
  }
  let status: number
  let headers: Headers
  let said: string
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}/chat/completions`, {
      method: 'POST',
      // Following a redirect would send the key to another host.
      redirect: 'error',
      headers: {
        'content-type': 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(body),
      signal: budget.signal,
    })
    status = response.status
    headers = response.headers
    said = await textOf(response)
  } catch (error) {
    budget.spend(asked)
    budget.check()
    return later(`the model's endpoint did not answer in full: ${reasonOf(error)}`)
  }
  if (status === 200) return answerIn(said, asked, budget)
  budget.spend(status >= 500 ? asked : 0)
  return refusalOf(status, headers, said, manner, key)
}

const later = (message: string, afterMs?: number): Attempt => ({
  again: 'later',
  failure: new LlmError('unavailable', message),
  ...(afterMs === undefined ? {} : { afterMs }),
})

const never = (kind: LlmError['code'], message: string): Attempt => ({
  again: 'never',
  failure: new LlmError(kind, message),
})

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > LONGEST_ANSWER) throw new Error(`more than ${LONGEST_ANSWER} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined
    ? `${error.message} (${errorMessage(error.cause)})`
    : errorMessage(error)

function answerIn(said: string, asked: number, budget: Budget): Attempt {
  let answer: unknown
  try {
    answer = JSON.parse(said)
  } catch {
    budget.spend(asked)
    return later("the model's endpoint answered with what is no JSON")
  }
  const total = at(answer, 'usage', 'total_tokens')
  const choice = at(answer, 'choices', 0)
  const text = at(choice, 'message', 'content')
  budget.spend(typeof total === 'number' && total >= 0 ? total : asked + tokensOf(said))
  if (typeof at(choice, 'message', 'refusal') === 'string')
    return never('refused', 'the model declined to answer')
  if (typeof text !== 'string') return never('invalid', "the model's endpoint answered without a text")
  if (at(choice, 'finish_reason') === 'content_filter')
    return never('refused', "the endpoint's filter stopped the answer")
  return { text }
}

/** The value in parsed JSON at a path, `undefined` if there is none. */
export const at = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null
        ? Object.entries(inner).find(([key]) => key === String(step))?.[1]
        : undefined,
    value,
  )

function refusalOf(
  status: number,
  headers: Headers,
  said: string,
  manner: Manner,
  key: string | undefined,
): Attempt {
  if (status === 401 || status === 403)
    return never('unauthorised', `the model's endpoint refuses the key (${status}): check SVC_LLM_KEY`)
  if (status === 404)
    return never(
      'refused',
      `the model's endpoint knows no such address or model (404): check SVC_LLM_URL and SVC_LLM_MODEL`,
    )
  if (status === 408 || status === 409 || status === 429 || status >= 500)
    return later(`the model's endpoint cannot answer now (${status})`, retryAfterMs(headers))
  if ((status === 400 || status === 422) && adapted(manner, said)) return { again: 'now' }
  return never('refused', `the model's endpoint refuses the request (${status}: ${excerpt(said, key)})`)
}

/** Stops sending a parameter that the endpoint refuses. */
function adapted(manner: Manner, said: string): boolean {
  if (
    /response_format|json_schema|json_object|structured/i.test(said) &&
    manner.format < FORMATS.length - 1
  ) {
    manner.format += 1
    return true
  }
  if (/max_tokens/.test(said) && manner.limit === 'max_tokens') {
    manner.limit = 'max_completion_tokens'
    return true
  }
  return false
}

/** `Retry-After` in milliseconds, `undefined` if it is not a number of seconds. */
function retryAfterMs(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) ? Math.max(0, seconds * 1000) : undefined
}

/** The endpoint's error message, without the key if it repeats that. */
function excerpt(said: string, key: string | undefined): string {
  const message = messageIn(said).replace(/\s+/g, ' ').slice(0, 200)
  const hidden = key === undefined || key === '' ? message : message.replaceAll(key, '…')
  return hidden.replace(/\b(sk|pk|key)-[\w-]{8,}/gi, '…')
}

function messageIn(said: string): string {
  try {
    const message = at(JSON.parse(said), 'error', 'message')
    return typeof message === 'string' ? message : 'no reason given'
  } catch {
    return 'no reason given'
  }
}
