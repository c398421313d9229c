import { collectDefaultMetrics, Registry } from 'prom-client'

/** A process wakes up as often as its event loop is looked at: a hundred times a second, as prom-client has it, were a third of what an idle service took. */
const EVENT_LOOP_LOOK_MS = 500

/** The metrics of a process: those of Node, and what its stages add. Every one says which process it is of. */
export function processRegistry(name: string): Registry {
  const registry = new Registry()
  registry.setDefaultLabels({ process: name })
  collectDefaultMetrics({
    register: registry,
    prefix: 'svc_',
    eventLoopMonitoringPrecision: EVENT_LOOP_LOOK_MS,
  })
  return registry
}
