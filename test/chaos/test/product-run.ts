import t from 'tap'
import { SEED } from '../../support/cases.js'
import { faultsNamed } from '../faults/faults.js'
import { PRODUCT_FAULTS } from '../faults/product-faults.js'
import { testProduct } from './support/product-test.js'
import { onAllInOne } from './support/short-run.js'

/** One fault of each kind by turns; `npm run chaos` has all of them. */
const KINDS = [
  ['job:effected', 'job:marked', 'api:committed'],
  ["clock over a month's end", 'clock back an hour'],
  ['full disk of Postgres', 'answers cut short', 'connections cut', 'freeze main'],
]
const chosen = KINDS.map((names) => names[SEED % names.length] ?? '')

t.test('the whole product, disturbed', { timeout: 600_000 }, (t) =>
  testProduct(t, faultsNamed(chosen, PRODUCT_FAULTS), onAllInOne),
)
