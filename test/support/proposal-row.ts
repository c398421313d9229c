import type { NewExperiment } from '../../management/experiments/store.js'
import { newId } from '../../postgres/tables/workspaces.js'

/** A generated proposal as a row that `insertExperiment` takes, with nothing in it that need not be there. */
export function proposalRow(fields: Partial<NewExperiment> & Pick<NewExperiment, 'at'>): NewExperiment {
  const id = newId()
  return {
    id,
    key: `e-${id}`,
    name: 'Put',
    mechanism: '',
    notes: '',
    hypothesis: '',
    kind: 'experiment',
    testType: 'dom',
    status: 'proposed',
    priority: 'medium',
    origin: 'generated',
    experimentRunId: null,
    variants: [
      { key: 'control', displayName: 'Control', trafficSplit: 50 },
      { key: 'treatment', displayName: 'Treatment', trafficSplit: 50 },
    ],
    conversionTargets: [
      { eventName: 'order_paid', name: 'Paid', direction: 'increase', windowHours: null, filters: [] },
    ],
    surfaces: [],
    changes: [],
    ...fields,
  }
}
