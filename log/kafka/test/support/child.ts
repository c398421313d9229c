import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { KafkaLogOptions } from '../../log.js'
import type { SharedPositions } from './shared.js'

export interface ConsumerTask {
  readonly name: string
  /** The options that can be sent to another process. */
  readonly options: Omit<KafkaLogOptions, 'logger' | 'faultPoint'>
  readonly handleMs: number
}

export type Question =
  | { readonly kind: 'takeOver'; readonly partition: number }
  | { readonly kind: 'begin'; readonly partition: number; readonly epoch: number }
  | { readonly kind: 'revoked'; readonly partition: number }
  | {
      readonly kind: 'write'
      readonly partition: number
      readonly epoch: number
      readonly payloads: readonly string[]
      readonly next: number
    }

export interface ConsumerProcess {
  /** Resolves when it begins its next batch, or has begun one since the last call. */
  begins(): Promise<void>
  kill(signal: NodeJS.Signals): void
  /** Resolves when it has handled its records and has ended. */
  stop(): Promise<void>
}

/** Runs kafka-consumer.ts (compiled beside this file) as a separate process. */
export function startConsumerProcess(task: ConsumerTask, positions: SharedPositions): ConsumerProcess {
  const script = fileURLToPath(new URL('./kafka-consumer.js', import.meta.url))
  const child = fork(script, [JSON.stringify(task)])
  const gone = once(child, 'exit')
  let begun = 0
  const answer = (question: Question): unknown => {
    const { partition } = question
    switch (question.kind) {
      case 'takeOver':
        return positions.takeOver(partition, task.name)
      case 'begin':
        begun++
        child.emit('begun')
        return positions.begin(partition, question.epoch)
      case 'revoked':
        return positions.letGo(partition, task.name)
      case 'write':
        return positions.write(partition, question.epoch, question.payloads, question.next)
    }
  }
  child.on('message', (message: { readonly id: number; readonly question: Question }) => {
    // Killed while it asked, it hears no answer.
    if (child.connected) child.send({ id: message.id, answer: answer(message.question) }, () => {})
  })
  return {
    begins: async () => {
      const ended = gone.then(() => {
        throw new Error(`the consumer ${task.name} has ended`)
      })
      ended.catch(() => {})
      while (begun === 0) await Promise.race([once(child, 'begun'), ended])
      begun = 0
    },
    kill: (signal) => void child.kill(signal),
    stop: async () => {
      if (child.connected) child.send('stop')
      await gone
    },
  }
}
