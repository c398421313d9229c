import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { FairQueue } from '../../runtime/concurrency/fair-queue.js'
import { isPublicAddress, PrivateAddressError } from './public-address.js'

/** Each look-up holds one of the few threads that the process has for names. */
const MAX_LOOK_UPS = 4
const MAX_WAIT_MS = 10_000

/** A workspace looks up one name at a time, because a name server that is silent holds a thread for long. */
const lookUps = new FairQueue(MAX_LOOK_UPS, 1, 0, MAX_WAIT_MS)

export interface LookUpCaller {
  readonly workspaceId: string
  /** Ends the wait for a turn. */
  readonly signal: AbortSignal
}

/** All addresses of a host. */
export function lookUp(host: string, caller: LookUpCaller): Promise<LookupAddress[]> {
  return lookUps.run(caller.workspaceId, () => lookup(host, { all: true }), caller)
}

/**
 * Resolves names for connections. Unless private addresses are allowed, it fails if any address of the name
 * is private. The connection goes to what was checked, so that a name cannot change in between.
 */
export function lookUpFor(caller: LookUpCaller, allowPrivate: boolean): LookupFunction {
  return (hostname, { all }, callback) => {
    lookUp(hostname, caller).then(
      (found) => {
        const [first] = found
        const isAllowed = allowPrivate || found.every(({ address }) => isPublicAddress(address))
        if (first === undefined || !isAllowed) callback(new PrivateAddressError(hostname), '', 0)
        else if (all === true) callback(null, found)
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    )
  }
}
