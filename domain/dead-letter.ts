/** What could not be stored, with the reason, as a record of the log that can be read by itself. */
export interface DeadLetter {
  readonly offset: number
  /** Position in the record; -1 for the whole record. */
  readonly rowIndex: number
  /** Undefined if the record does not say it readably. */
  readonly workspaceId: string | undefined
  readonly reason: string
  /** Events that are lost with it. 0 for links. */
  readonly events: number
  readonly payload: Uint8Array
}
