import { type BrokerConnections, knownRequest } from './connections.js'

export const GROUP = 0
export const TRANSACTION = 1

const VERSION = 1

/** The address of the coordinator of a consumer group or transactional producer. */
export async function findCoordinator(links: BrokerConnections, name: string, kind: number): Promise<string> {
  const { coordinator } = await links.sendToAny(
    knownRequest<{ readonly coordinator: { readonly host: string; readonly port: number } }>(
      'GroupCoordinator',
      VERSION,
      { groupId: name, coordinatorType: kind },
    ),
  )
  return `${coordinator.host}:${coordinator.port}`
}
