/** Batches in flight at once. Keys that come meanwhile wait for the next batch. */
const MAX_IN_FLIGHT = 2
/** A batch that takes longer may be stuck on a dead connection, so the next one goes out anyway. */
const MAX_WAIT_MS = 50

interface Waiting<Key, Value> {
  readonly key: Key
  readonly resolve: (value: Value) => void
  readonly reject: (error: unknown) => void
}

/**
 * Loads the keys of concurrent calls in batches, because a statement costs far more than one more row of
 * it. A batch goes out at the end of the turn of the event loop, and always after every call that shares it,
 * so that no call gets a value older than itself.
 *
 * @param load resolves with a value for each key, in their order; a failure rejects all calls of the batch
 * @param maxKeys keys in one batch
 */
export function batchLoader<Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly Value[]>,
  maxKeys: number,
): (key: Key) => Promise<Value> {
  const waiting: Waiting<Key, Value>[] = []
  let inFlight = 0
  let due: { cancel(): void } | undefined

  const plan = (): void => {
    if (due !== undefined || waiting.length === 0) return
    if (inFlight < MAX_IN_FLIGHT) {
      const turn = setImmediate(send)
      due = { cancel: () => clearImmediate(turn) }
    } else {
      const timer = setTimeout(send, MAX_WAIT_MS)
      due = { cancel: () => clearTimeout(timer) }
    }
  }
  const send = (): void => {
    due = undefined
    const batch = waiting.splice(0, maxKeys)
    inFlight++
    void settle(batch).finally(() => {
      inFlight--
      due?.cancel()
      due = undefined
      plan()
    })
    plan()
  }
  const settle = async (batch: readonly Waiting<Key, Value>[]): Promise<void> => {
    try {
      const values = await load(batch.map(({ key }) => key))
      batch.forEach(({ resolve }, i) => {
        resolve(values[i] as Value)
      })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      plan()
    })
}
