/**
 * The event as clients send it, and the limits of the ingestion contract.
 * Lengths are UTF-16 code units unless a name says bytes. docs/send-events.md describes them.
 */
export const EVENT_LIMITS = {
  eventsPerRequest: 500,
  eventNameLength: 500,
  userIdLength: 255,
  anonymousIdLength: 255,
  insertIdLength: 200,
  sdkVersionLength: 200,
  propertiesBytes: 8192,
  /** Levels of nested objects and arrays, the properties themselves included. */
  propertiesDepth: 64,
} as const

/** An accepted event: validated, optional fields absent rather than null, times in milliseconds. */
export interface AcceptedEvent {
  readonly event: string
  readonly userId: string | undefined
  readonly anonymousId: string | undefined
  /** Canonical JSON: exactly `JSON.stringify(JSON.parse(…))` of what was sent; `{}` if nothing was. */
  readonly properties: string
  /** By the client's clock; undefined if the event has none and happens at its receipt. */
  readonly timestamp: number | undefined
  readonly insertId: string | undefined
  readonly sdkVersion: string | undefined
}

/** The sender of a request, and when it arrived. */
export interface Sender {
  readonly workspaceId: string
  readonly keyId: string
  /** The gateway's clock when the request was complete, in milliseconds. */
  readonly receivedAt: number
  /** Whether the events are history, whose times are not corrected. @default false */
  readonly imported?: boolean
}

/** An accepted request without its events. */
export interface BatchHead extends Sender {
  readonly sentAt: number | undefined
}

/** An accepted request: one record group in the log. */
export interface AcceptedBatch extends BatchHead {
  readonly events: readonly AcceptedEvent[]
}

/** How a stored timestamp differs from the one that was sent. The numbers are stored; never renumber. */
export const TIMESTAMP_ADJUSTMENTS = ['none', 'skew', 'clamped_past', 'clamped_future', 'imported'] as const
export type TimestampAdjustment = (typeof TIMESTAMP_ADJUSTMENTS)[number]

/** The event that records which variant a visitor was shown. */
export const EXPOSURE_EVENT = '$exposure'
