import { setTimeout as delay } from 'node:timers/promises'
import type { LetterFilter } from '../../postgres/tables/dead-letter-list.js'
import { findReplay, type ReplayView, requestReplay } from '../../postgres/tables/dead-letters.js'
import { newId } from '../../postgres/tables/workspaces.js'
import { type CommandError, refusedError } from '../command-error.js'
import { escapeControls, printJson, printRecord } from '../output.js'
import type { AdminContext } from './with-database.js'

const POLL_MS = 200

/**
 * Requests a replay and waits for its end. The running consumers do it, whatever becomes of this command.
 *
 * @throws CommandError if letters are unknown or failed again, or the end did not come in time
 */
export async function replayDeadLetters(
  context: AdminContext,
  letters: { readonly ids: readonly string[] } | { readonly filter: LetterFilter },
  timeoutSeconds: number,
  json: boolean,
): Promise<void> {
  const { sql, terminal } = context
  const { replay, unknown, replayedBefore, waiting } = await requestReplay(sql, newId(), letters)
  if (unknown.length > 0)
    throw refusedError(
      `there is no dead letter ${unknown.join(', ')}: nothing is replayed`,
      'UNKNOWN_DEAD_LETTER',
    )
  const note = (ids: readonly string[], what: string): void => {
    if (ids.length > 0)
      terminal.err(`${ids.length === 1 ? `Letter ${ids[0]}` : `${ids.length} letters`} ${what}.\n`)
  }
  note(replayedBefore, 'had been replayed before: nothing changed')
  note(waiting, 'had been asked for before: the replay has not come to it yet')
  if (replay === undefined) {
    if (json) printJson(terminal, EMPTY_REPLAY)
    else terminal.out('There was nothing to replay.\n')
    return
  }
  const last = context.startedHere ? replay : await waitForEnd(context, replay, timeoutSeconds)
  if (json) printJson(terminal, last)
  else printReplay(context, last)
  const failure = replayError(context, last, timeoutSeconds)
  if (failure !== undefined) throw failure
}

/** The finished replay, or its state at the timeout. */
async function waitForEnd(
  { sql }: AdminContext,
  replay: ReplayView,
  timeoutSeconds: number,
): Promise<ReplayView> {
  const end = performance.now() + timeoutSeconds * 1_000
  let last = replay
  while (last.state !== 'done' && performance.now() < end) {
    await delay(Math.min(POLL_MS, Math.max(1, end - performance.now())))
    last = (await findReplay(sql, replay.id)) ?? last
  }
  return last
}

function printReplay({ terminal }: AdminContext, replay: ReplayView): void {
  printRecord(terminal, {
    replay: replay.id,
    state: replay.state,
    letters: replay.letters,
    replayed: replay.replayed,
    'failed again': replay.failed,
    'events stored': replay.eventsStored,
    'events stored before': replay.eventsDuplicate,
  })
}

function replayError(
  context: AdminContext,
  replay: ReplayView,
  timeoutSeconds: number,
): CommandError | undefined {
  const { id, state, letters, replayed, failed } = replay
  const problem = replay.problem === null ? '' : `; what keeps it: ${escapeControls(replay.problem)}`
  if (context.startedHere)
    return refusedError(
      `no svc is running on this data directory: the replay ${id} stays requested, and the next svc that starts does it`,
      'NOT_RUNNING',
    )
  if (state === 'done')
    return failed === 0
      ? undefined
      : refusedError(
          `${failed} of ${letters} letters could not be stored this time either: svc admin dead-letters list shows why`,
          'DEAD_AGAIN',
        )
  if (timeoutSeconds === 0) return undefined
  if (state === 'requested')
    return refusedError(
      `no running svc started the replay within ${timeoutSeconds} s: ${id} stays requested, and the next svc that starts does it`,
      'NOT_RUNNING',
    )
  return refusedError(
    `the replay ${id} did not end within ${timeoutSeconds} s (${replayed + failed} of ${letters} letters) and goes on${problem}`,
    'NOT_FINISHED',
  )
}

const EMPTY_REPLAY = {
  id: null,
  state: 'done',
  letters: 0,
  replayed: 0,
  failed: 0,
  eventsStored: 0,
  eventsDuplicate: 0,
  problem: null,
  requestedAt: null,
  startedAt: null,
  finishedAt: null,
}
