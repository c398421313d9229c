import { LlmError } from './llm-error.js'

/** An endpoint's answer: a model's text, complete or cut off, and its cost if the endpoint reports it. */
export interface Completion {
  text: string
  isCut: boolean
  inputTokens: number | undefined
  outputTokens: number | undefined
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

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 ? value : undefined

/** Adds up the parts of an answer. */
class Parts {
  text = ''
  finish: unknown
  #refusal = false
  #isChoice = false
  #input: number | undefined
  #output: number | undefined

  /** @throws LlmError if the endpoint reports an error in its answer */
  add(part: unknown, holder: 'delta' | 'message'): void {
    const error = at(part, 'error')
    if (error !== undefined && error !== null)
      throw new LlmError('unavailable', "the model's endpoint broke off its answer with an error")
    const choice = at(part, 'choices', 0)
    const said = at(choice, holder)
    const content = at(said, 'content')
    if (typeof content === 'string') this.text += content
    if (choice !== undefined) this.#isChoice ||= typeof content === 'string' || holder === 'delta'
    if (typeof at(said, 'refusal') === 'string') this.#refusal = true
    this.finish = at(choice, 'finish_reason') ?? this.finish
    this.#input = count(at(part, 'usage', 'prompt_tokens')) ?? this.#input
    this.#output = count(at(part, 'usage', 'completion_tokens')) ?? this.#output
  }

  /** @throws LlmError if the model declined, or nothing came */
  completion(isEnded: boolean): Completion {
    if (this.#refusal) throw new LlmError('refused', 'the model declined to answer')
    if (this.finish === 'content_filter')
      throw new LlmError('refused', "the endpoint's filter stopped the answer")
    if (!this.#isChoice) throw new LlmError('invalid', "the model's endpoint answered without a text")
    const isCut = this.finish === 'length' || (!isEnded && typeof this.finish !== 'string')
    return { text: this.text, isCut, inputTokens: this.#input, outputTokens: this.#output }
  }
}

/**
 * Reads a chat completion: server-sent events, or one JSON document from endpoints that do not stream. An
 * answer whose connection breaks after some of its text counts as cut off.
 * @throws LlmError
 */
export async function readCompletion(chunks: AsyncIterable<string>): Promise<Completion> {
  const parts = new Parts()
  let rest = ''
  let whole = ''
  let isStream: boolean | undefined
  let isEnded = false
  try {
    for await (const chunk of chunks) {
      // Server-sent events begin with a field's name or a colon, a document with a brace.
      const [first] = (isStream === undefined ? whole + chunk : '').trimStart()
      if (first !== undefined) isStream = /[a-z:]/.test(first)
      if (isStream !== true) {
        whole += chunk
        continue
      }
      rest += whole + chunk
      whole = ''
      const lines = rest.split(/\r?\n/)
      rest = lines.pop() ?? ''
      for (const line of lines) isEnded = readLine(line, parts) || isEnded
    }
  } catch (error) {
    if (error instanceof LlmError || parts.text === '') throw error
    return parts.completion(false)
  }
  if (isStream !== true) {
    parts.add(documentOf(whole), 'message')
    return parts.completion(true)
  }
  isEnded = readLine(rest, parts) || isEnded
  return parts.completion(isEnded)
}

/** Reads one line of server-sent events. Returns whether it ends the answer. */
function readLine(line: string, parts: Parts): boolean {
  const data = /^data:\s?(.*)$/.exec(line)?.[1]?.trim()
  if (data === undefined || data === '') return false
  if (data === '[DONE]') return true
  parts.add(documentOf(data), 'delta')
  return false
}

function documentOf(said: string): unknown {
  try {
    return JSON.parse(said)
  } catch {
    throw new LlmError('unavailable', "the model's endpoint answered with what is no JSON")
  }
}
