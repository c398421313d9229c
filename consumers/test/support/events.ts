import type { AcceptedBatch, AcceptedEvent } from '../../../domain/event.js'
import { workspaceHashKeys } from '../../../log/hash-keys.js'
import type { LogRecord } from '../../../log/port.js'
import { encodeRecords } from '../../../log/record.js'

export const SECRET = new Uint8Array(32).fill(7)
export const WORKSPACE = '0190c8f1-0000-7000-8000-000000000001'
export const KEY = '0190c8f1-0000-7000-8000-0000000000aa'
/** Saturday, 21 November 2026, noon. */
export const NOON = Date.UTC(2026, 10, 21, 12)

const keys = new Map<string, ReturnType<typeof workspaceHashKeys>>()

export function event(fields: Partial<AcceptedEvent> = {}): AcceptedEvent {
  return {
    event: 'seen',
    userId: 'u1',
    anonymousId: undefined,
    properties: '{}',
    timestamp: undefined,
    insertId: undefined,
    sdkVersion: undefined,
    ...fields,
  }
}

/** The records of a request, as the gateway appends them. */
export function request(
  events: readonly AcceptedEvent[],
  fields: Partial<Omit<AcceptedBatch, 'events'>> = {},
  shape: { readonly partitions: number; readonly identityPartitions: number } = {
    partitions: 1,
    identityPartitions: 1,
  },
): LogRecord[] {
  const batch: AcceptedBatch = {
    workspaceId: WORKSPACE,
    keyId: KEY,
    receivedAt: NOON,
    sentAt: undefined,
    events,
    ...fields,
  }
  let workspaceKeys = keys.get(batch.workspaceId)
  if (workspaceKeys === undefined) {
    workspaceKeys = workspaceHashKeys(SECRET, batch.workspaceId)
    keys.set(batch.workspaceId, workspaceKeys)
  }
  return encodeRecords(batch, workspaceKeys, shape, () => false).records
}
