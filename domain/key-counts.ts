/** A key of a workspace, and a UTC hour in which it sent events. */
export interface KeyHour {
  readonly workspaceId: string
  readonly keyId: string
  /** Start of the hour of receipt, milliseconds since 1970. */
  readonly hour: number
}

/** Outcomes of the events that a key sent in an hour: accepted = stored + duplicates + dead. */
export interface KeyCounts extends KeyHour {
  readonly accepted: number
  readonly stored: number
  readonly duplicates: number
  readonly dead: number
}
