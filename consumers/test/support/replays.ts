import { v7 } from 'uuid'
import { requestReplay } from '../../../postgres/tables/dead-letters.js'
import type { EventConsumer } from '../../events/event-consumer.js'
import { routeLetters } from '../../replays/replay-router.js'
import type { Harness } from './pipeline.js'

export interface LetterState {
  readonly place: string
  readonly reason: string
  readonly attempts: number
  readonly replayed: boolean
  readonly waits: boolean
  readonly announced: boolean
}

/** All letters of a log, in its order. */
export async function letters({ sql, log }: Pick<Harness, 'sql' | 'log'>): Promise<LetterState[]> {
  return sql<LetterState[]>`
    select concat(log_offset, ':', row_index) as place, reason, attempts, replayed_at is not null as replayed,
      replay_id is not null as waits, replay_token is not null as announced
    from dead_letters where log_id = ${log.id} order by log_offset, row_index`
}

/** Asks for a replay of every letter and finds their partitions. Returns its id. */
export async function askForAll({ sql, log }: Pick<Harness, 'sql' | 'log'>): Promise<string> {
  const { replay } = await requestReplay(sql, v7(), { filter: {} })
  while (await routeLetters({ sql, log, newId: v7, onLinksWritten: () => {} }));
  return replay?.id ?? 'none'
}

/**
 * Stores the waiting letters of partition 0, replacing the owner after each failure. Returns the last one.
 */
export async function replayAll(makeHandler: () => EventConsumer, attempts = 60): Promise<EventConsumer> {
  let failure: unknown
  for (let attempt = 0; attempt < attempts; attempt++) {
    const handler = makeHandler()
    try {
      await handler.assigned(0)
      while (await handler.replay(0));
      return handler
    } catch (error) {
      failure = error
    }
  }
  throw new Error(`not carried out in ${attempts} attempts`, { cause: failure })
}
