/** A log record, or one row of it, that could not be stored. `payload` can be parsed without the log. */
export interface DeadLetter {
  readonly offset: number
  /** Position in the record; -1 for the whole record. */
  readonly rowIndex: number
  /** Undefined if the header of the record cannot be read. */
  readonly workspaceId: string | undefined
  readonly reason: string
  /** Number of events in it. 0 for links. */
  readonly events: number
  readonly payload: Uint8Array
}
