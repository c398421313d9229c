/** Called at the points of the protocol where a crash matters most. Only tests do something there. */
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
