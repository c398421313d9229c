import { type RunningService, storedEvents, until } from '../../../test/support/service.js'
import type { LoadOptions } from './run-load.js'

export const EVENTS_A_REQUEST = 500

/** A load of batches on a gateway, as it comes from few senders. */
export function batchesTo(ingest: string, key: string): Omit<LoadOptions, 'seconds' | 'seed'> {
  return {
    host: '127.0.0.1',
    port: Number(new URL(ingest).port),
    key,
    connections: 8,
    eventsPerRequest: EVENTS_A_REQUEST,
  }
}

/** Waits until this many events can be counted; a pause in storing does not end the wait. */
export async function waitForStored(
  service: RunningService,
  expected: number,
  seconds: number,
): Promise<void> {
  const count = await until(
    () => storedEvents(service),
    (count) => count >= expected,
    seconds,
  )
  if (count !== expected) throw new Error(`${expected} events were accepted and ${count} are stored`)
}
