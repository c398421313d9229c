/** A record of the log that could not be stored, with the reason. It can be read on its own. */
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
