import { setTimeout as sleep } from 'node:timers/promises'
import { type BackoffBounds, backoffMs } from '../../runtime/backoff.js'
import { deadlineSignal } from '../../runtime/concurrency/deadline-signal.js'
import { errorMessage } from '../../runtime/errors.js'
import type { AskedQuestion, QuestionStep } from '../port.js'
import { at, readCompletion } from './answer-stream.js'
import { type Budget, estimatedTokens, tokensOf } from './budget.js'
import { LlmError } from './llm-error.js'
import { postJson } from './post-json.js'

/** An endpoint with OpenAI's chat completions API. `url` ends before `/chat/completions`. */
export interface Endpoint {
  url: string
  model: string
  key: string | undefined
  /** maximum tokens of an answer, reasoning included */
  answerTokens: number
  /** maximum seconds of a question */
  questionSeconds: number
  /** `low`, `medium` or `high`, for endpoints that know it */
  reasoningEffort?: string | undefined
  /** @default 1 to 30 seconds */
  backoff?: BackoffBounds
}

export interface Message {
  role: 'system' | 'user' | 'assistant'
  content: string
}

export interface Question {
  /** what it is for, as the run shows it */
  step: QuestionStep
  messages: readonly Message[]
  /** schema of the answer; endpoints without schemas get it in words only */
  schema: { name: string; schema: object }
}

/** The text that came, and whether it was cut off. */
export interface ModelAnswer {
  text: string
  isCut: boolean
}

const TRIES = 4
/** A lower limit of answer tokens is not worth a question. */
const MIN_ANSWER_TOKENS = 500
const BACKOFF: BackoffBounds = { initialIntervalMs: 1_000, maxIntervalMs: 30_000 }
const FORMATS = ['json_schema', 'json_object', 'none'] as const

/** Parameters that an endpoint accepts, learnt from its refusals. */
interface Manner {
  format: number
  limit: 'max_tokens' | 'max_completion_tokens'
  answerTokens: number
  refusedLimits: Set<string>
  /** further parameters that the endpoint may refuse */
  refused: Set<'stream_options' | 'reasoning_effort'>
}

export type Ask = (question: Question, budget: Budget) => Promise<ModelAnswer>

/**
 * Returns a function that asks the endpoint and returns its text. It retries on 408, 409, 429, 5xx and broken
 * connections, after `Retry-After` or with backoff, within the budget. Part of an answer is returned as cut.
 * @param onAnswered called once for each request that was sent
 * @throws LlmError, or the reason of the budget's signal
 */
export function chatOf(
  endpoint: Endpoint,
  now: () => number,
  onAnswered: (question: AskedQuestion) => void = () => {},
): Ask {
  const manner: Manner = {
    format: 0,
    limit: 'max_tokens',
    answerTokens: endpoint.answerTokens,
    refusedLimits: new Set(),
    refused: new Set(),
  }
  return async (question, budget) => {
    for (let failures = 0; ; ) {
      const began = now()
      const spent = { inputTokens: 0, outputTokens: 0 }
      const result = await attempt(endpoint, manner, question, budget, spent)
      if (result === 'again') continue
      const outcome = 'failure' in result ? 'failed' : result.isCut ? 'cut' : 'answered'
      onAnswered({ step: question.step, ...spent, seconds: (now() - began) / 1000, outcome })
      if (!('failure' in result)) return result
      failures += 1
      if (result.isFinal || failures === TRIES) throw result.failure
      const wait = result.afterMs ?? backoffMs(endpoint.backoff ?? BACKOFF, failures - 1)
      if (wait > budget.leftMs()) throw result.failure
      await sleep(wait, undefined, { signal: budget.signal }).catch(() => budget.check())
    }
  }
}

/** An answer, that the question is to be put in another way at once, or a failure. */
type Attempt = ModelAnswer | 'again' | { failure: LlmError; isFinal: boolean; afterMs?: number | undefined }

async function attempt(
  endpoint: Endpoint,
  manner: Manner,
  { messages, schema }: Question,
  budget: Budget,
  spent: { inputTokens: number; outputTokens: number },
): Promise<Attempt> {
  const { url, key, questionSeconds } = endpoint
  const asked = messages.reduce((sum, { content }) => sum + tokensOf(content), 0)
  budget.reserve(asked + MIN_ANSWER_TOKENS)
  const signal = deadlineSignal(Math.ceil(questionSeconds * 1000), budget.signal)
  const estimated = estimatedTokens(...messages)
  let isSent = false
  const pay = (inputTokens: number, outputTokens: number): void => {
    Object.assign(spent, { inputTokens, outputTokens })
    budget.spend(inputTokens + outputTokens)
  }
  try {
    const posted = await postJson(
      `${url.replace(/\/+$/, '')}/chat/completions`,
      key === undefined ? {} : { authorization: `Bearer ${key}` },
      bodyOf(endpoint, manner, messages, schema, Math.min(manner.answerTokens, budget.left() - asked)),
      signal,
      () => {
        isSent = true
      },
    )
    if (posted.status === 200) {
      const { text, isCut, inputTokens, outputTokens } = await readCompletion(posted.text)
      pay(inputTokens ?? estimated, outputTokens ?? estimatedTokens({ content: text }))
      return { text, isCut }
    }
    pay(posted.status >= 500 ? estimated : 0, 0)
    return refusalOf(posted.status, posted.headers['retry-after'], await wholeText(posted.text), manner, key)
  } catch (error) {
    if (isSent && spent.inputTokens === 0) pay(estimated, 0)
    budget.check()
    if (error instanceof LlmError) return { failure: error, isFinal: !error.retryable }
    if (signal.aborted)
      return later(`the model did not answer within ${questionSeconds} s (SVC_LLM_QUESTION_SECONDS)`)
    return later(`the model's endpoint did not answer in full: ${reasonOf(error)}`)
  }
}

function bodyOf(
  { model, reasoningEffort }: Endpoint,
  manner: Manner,
  messages: readonly Message[],
  schema: Question['schema'],
  answerTokens: number,
): object {
  const type = FORMATS[manner.format]
  const strict = type === 'json_schema' ? { json_schema: { ...schema, strict: true } } : {}
  // JSON has no fields that are undefined.
  return {
    model,
    messages,
    stream: true,
    stream_options: manner.refused.has('stream_options') ? undefined : { include_usage: true },
    [manner.limit]: answerTokens,
    reasoning_effort: manner.refused.has('reasoning_effort') ? undefined : reasoningEffort,
    response_format: type === 'none' ? undefined : { type, ...strict },
  }
}

async function wholeText(chunks: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const chunk of chunks) text += chunk
  return text
}

const later = (message: string, afterMs?: number): Attempt => ({
  failure: new LlmError('unavailable', message),
  isFinal: false,
  afterMs,
})

const never = (kind: LlmError['code'], message: string): Attempt => ({
  failure: new LlmError(kind, message),
  isFinal: true,
})

const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined
    ? `${error.message} (${errorMessage(error.cause)})`
    : errorMessage(error)

function refusalOf(
  status: number,
  retryAfter: string | undefined,
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
    return later(`the model's endpoint cannot answer now (${status})`, retryAfterMs(retryAfter))
  if ((status === 400 || status === 422) && adapted(manner, said)) return 'again'
  return never('refused', `the model's endpoint refuses the request (${status}: ${excerpt(said, key)})`)
}

/** Stops sending a parameter that the endpoint refuses, or asks for less. */
function adapted(manner: Manner, said: string): boolean {
  if (
    /response_format|json_schema|json_object|structured/i.test(said) &&
    manner.format < FORMATS.length - 1
  ) {
    manner.format += 1
    return true
  }
  for (const name of ['stream_options', 'reasoning_effort'] as const)
    if (said.includes(name) && !manner.refused.has(name)) {
      manner.refused.add(name)
      return true
    }
  if (!/max_(completion_)?tokens/.test(said)) return false
  if (/max_completion_tokens/.test(said) && manner.limit === 'max_tokens') {
    manner.limit = 'max_completion_tokens'
    return true
  }
  // "max_tokens must be at most 8192", "the valid range is [1, 8192]"
  const lower = [...said.matchAll(/\b\d{3,6}\b/g)]
    .map(([number]) => Number(number))
    .filter((number) => number >= MIN_ANSWER_TOKENS && number < manner.answerTokens)
  if (lower.length > 0) {
    manner.answerTokens = Math.max(...lower)
    return true
  }
  const other = manner.limit === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
  if (manner.refusedLimits.has(other)) return false
  manner.refusedLimits.add(manner.limit)
  manner.limit = other
  return true
}

/** `Retry-After`, in seconds or as a date, in milliseconds. `undefined` if it is neither. */
function retryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  const ms = /^\d+(\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
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
