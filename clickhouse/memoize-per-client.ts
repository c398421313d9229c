import type { ClickHouse } from './port.js'

/** State of a process per client, created on first use. A process has one client; tests have several. */
export function memoizePerClient<Memory>(make: () => Memory): (clickhouse: ClickHouse) => Memory {
  const memories = new WeakMap<ClickHouse, Memory>()
  return (clickhouse) => {
    const memory = memories.get(clickhouse) ?? make()
    memories.set(clickhouse, memory)
    return memory
  }
}
