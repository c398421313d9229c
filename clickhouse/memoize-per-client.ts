import type { ClickHouse } from './port.js'

/** What a process remembers of a store, made when it is first asked for. A process has one store, tests have several. */
export function memoizePerClient<Memory>(make: () => Memory): (clickhouse: ClickHouse) => Memory {
  const memories = new WeakMap<ClickHouse, Memory>()
  return (clickhouse) => {
    const memory = memories.get(clickhouse) ?? make()
    memories.set(clickhouse, memory)
    return memory
  }
}
