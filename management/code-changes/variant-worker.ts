import { parentPort } from 'node:worker_threads'
import { cleanUp } from '../../variants/clean-up.js'
import { writeVariants } from '../../variants/write.js'
import type { VariantRequest, VariantResponse } from './variant-writer.js'

/** Worker thread that writes and removes variants. It alone loads the parsers. */

parentPort?.on('message', ({ id, question }: VariantRequest) => {
  parentPort?.postMessage({ id, ...answer(question) } satisfies VariantResponse)
})

function answer(question: VariantRequest['question']): Omit<VariantResponse, 'id'> {
  try {
    return { value: question.kind === 'write' ? writeVariants(question.request) : cleanUp(question.request) }
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
