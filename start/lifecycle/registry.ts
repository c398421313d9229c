import { collectDefaultMetrics, Registry } from 'prom-client'

/** prom-client looks a hundred times a second, which was a third of the CPU of an idle service. */
const EVENT_LOOP_LOOK_MS = 500

/** The metrics of a process: Node's own, and what its stages add, all labelled with its name. */
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
