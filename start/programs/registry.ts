import { collectDefaultMetrics, Registry } from 'prom-client'

/** The metrics of a process: those of Node, and what its stages add. Every one says which process it is of. */
export function processRegistry(name: string): Registry {
  const registry = new Registry()
  registry.setDefaultLabels({ process: name })
  collectDefaultMetrics({ register: registry, prefix: 'svc_' })
  return registry
}
