/** So many questions may be on their way; those that come meanwhile wait and go together. */
const MAX_ASKED = 2
/** One that takes longer may be stuck on a dead connection: the next goes past it. */
const WAIT_MS = 50

interface Waiting<Key, Value> {
  readonly key: Key
  readonly resolve: (value: Value) => void
  readonly reject: (error: unknown) => void
}

/**
 * Makes one question of what many requests ask at the same time: a statement costs far more than one more row of it. What is asked alone goes
 * out at the end of the turn of the event loop. A question always goes out after everybody who shares it has asked, so nobody gets an answer older
 * than the request.
 *
 * @param ask gives an answer for each key, in their order; where it fails all who share it fail
 * @param most keys in one question
 */
export function batchLoader<Key, Value>(
  ask: (keys: readonly Key[]) => Promise<readonly Value[]>,
  most: number,
): (key: Key) => Promise<Value> {
  const waiting: Waiting<Key, Value>[] = []
  let asked = 0
  let due: { cancel(): void } | undefined

  const plan = (): void => {
    if (due !== undefined || waiting.length === 0) return
    if (asked < MAX_ASKED) {
      const turn = setImmediate(send)
      due = { cancel: () => clearImmediate(turn) }
    } else {
      const timer = setTimeout(send, WAIT_MS)
      due = { cancel: () => clearTimeout(timer) }
    }
  }
  const send = (): void => {
    due = undefined
    const together = waiting.splice(0, most)
    asked++
    void answer(together).finally(() => {
      asked--
      due?.cancel()
      due = undefined
      plan()
    })
    plan()
  }
  const answer = async (together: readonly Waiting<Key, Value>[]): Promise<void> => {
    try {
      const values = await ask(together.map(({ key }) => key))
      together.forEach(({ resolve }, i) => {
        resolve(values[i] as Value)
      })
    } catch (error) {
      for (const { reject } of together) reject(error)
    }
  }
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      plan()
    })
}
