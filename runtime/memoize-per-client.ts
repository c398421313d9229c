/** State of a process per client of a store, created on first use. A process has one; tests have several. */
export function memoizePerClient<Client extends object, Memory>(
  make: (client: Client) => Memory,
): (client: Client) => Memory {
  const memories = new WeakMap<Client, Memory>()
  return (client) => {
    const memory = memories.get(client) ?? make(client)
    memories.set(client, memory)
    return memory
  }
}
