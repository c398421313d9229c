import { Ajv } from 'ajv'
import { Budget } from './budget.js'
import { chatOf } from './chat.js'
import { objectIn } from './json-answer.js'
import { type LlmConfig, LlmError } from './llm.js'

const SECONDS = 20
const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['ready'],
  properties: { ready: { type: 'boolean' } },
}
const isReady = new Ajv().compile<{ ready: boolean }>(SCHEMA)

/**
 * Asks the model one short question, for at most 20 seconds. Returns the seconds that it took.
 * @throws LlmError if no answer comes, or another one than was asked for
 */
export async function tryModel(config: Omit<LlmConfig, 'seconds'>, signal?: AbortSignal): Promise<number> {
  const now = () => performance.now()
  const began = now()
  const budget = new Budget({ tokens: config.maxTokens, seconds: SECONDS }, now, signal)
  const content = 'Answer with the JSON {"ready": true} and nothing else.'
  const { text } = await chatOf(config, now)(
    { step: 'try', messages: [{ role: 'user', content }], schema: { name: 'ready', schema: SCHEMA } },
    budget,
  )
  if (objectIn(text, isReady) === undefined)
    throw new LlmError('invalid', 'the model answers, but not with the JSON that it is asked for')
  return (now() - began) / 1000
}
