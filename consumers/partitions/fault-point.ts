/**
 * Called at the moments of the protocol where a crash is most telling; does nothing outside of tests, which end or freeze the
 * process there.
 */
export type FaultPoint = (name: FaultPointName) => Promise<void> | void

export type FaultPointName =
  | 'consumer:before-intent'
  | 'consumer:intent-written'
  | 'consumer:inserted'
  | 'consumer:marked'
  | 'identity:linked'
  | 'outbox:written'
  | 'replay:announced'
  | 'replay:inserted'
  | 'replay:marked'
