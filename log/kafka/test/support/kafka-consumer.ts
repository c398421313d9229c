import { OPTIONS } from '../../../test/support/contract.js'
import { openKafkaLog } from '../../log.js'
import type { ConsumerTask, Question } from './child.js'
import { type PositionsPort, sharedHandler } from './shared.js'

// A consumer in its own process. It reads until it is stopped, and asks its parent for positions.
const task = JSON.parse(process.argv[2] ?? '') as ConsumerTask

const waiting = new Map<number, (answer: unknown) => void>()
let asked = 0
function ask<T>(question: Question): Promise<T> {
  return new Promise((resolve) => {
    const id = asked++
    waiting.set(id, (answer) => resolve(answer as T))
    process.send?.({ id, question })
  })
}

const abort = new AbortController()
process.on('message', (message: { id: number; answer: unknown } | 'stop') => {
  if (message === 'stop') {
    abort.abort()
    return
  }
  waiting.get(message.id)?.(message.answer)
  waiting.delete(message.id)
})
process.on('disconnect', () => process.exit(1))

const port: PositionsPort = {
  takeOver: (partition) => ask({ kind: 'takeOver', partition }),
  begin: (partition, epoch) => ask({ kind: 'begin', partition, epoch }),
  write: (partition, epoch, payloads, next) => ask({ kind: 'write', partition, epoch, payloads, next }),
  revoked: (partition) => void ask({ kind: 'revoked', partition }),
}
const log = await openKafkaLog({ ...task.options, instance: undefined })
await log.consume(OPTIONS, sharedHandler(port, task.handleMs), abort.signal)
await log.close()
process.disconnect()
