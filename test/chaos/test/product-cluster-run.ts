import t from 'tap'
import { SEED } from '../../support/cases.js'
import { kafkaProblem } from '../../support/kafka.js'
import { LARGE_ROLES } from '../clients/clients.js'
import { faultsNamed } from '../faults/faults.js'
import { PRODUCT_CLUSTER_FAULTS } from '../faults/product-faults.js'
import { testProduct } from './support/product-test.js'
import { onCluster } from './support/short-run.js'

/** One fault of each kind by turns; `npm run chaos -- --system cluster` has all of them. */
const KINDS = [
  ['job:effected', 'api:committed', 'kill API and consumer'],
  ['clock back an hour', "clock over a month's end"],
]
const chosen = KINDS.map((names) => names[SEED % names.length] ?? '')

t.test(
  'the whole product with its stages apart, disturbed',
  { timeout: 600_000, skip: kafkaProblem() ?? false },
  (t) => testProduct(t, faultsNamed(chosen, PRODUCT_CLUSTER_FAULTS), onCluster(1), LARGE_ROLES),
)
