import { Client } from './client.js'
import type { SvcEventsConstructor } from './types.js'

export type * from './types.js'

/** An interface, so that `durable: true` changes what `track` returns. */
export const SvcEvents: SvcEventsConstructor = Client as unknown as SvcEventsConstructor
