import t from 'tap'
import { filterCandidates } from '../../filter.js'
import { BatchRecord } from '../../port.js'
import { batch, requestOf } from '../../test/support/workspace.js'
import { RULES } from '../index.js'
import { page } from './support/proposed.js'

t.test('each has its own id', async (t) =>
  t.equal(new Set(RULES.map(({ ruleId }) => ruleId)).size, RULES.length),
)

t.test('comments, white space and words of imports do not hold a batch up', async (t) => {
  const head = '// a line of words that goes on and on\n'.repeat(2_000)
  const app = { 'src/App.jsx': `${head}export default () => <h1>Lamps</h1>\n` }
  t.same((await batch(app)).proposals, [])
  // None of these may take longer than the timeout of the test.
  const long = [
    'import'.padEnd(200_000),
    `export${'\n'.repeat(100_000)}x`,
    'import A '.repeat(20_000),
    'export type '.repeat(15_000),
  ]
  for (const text of long)
    t.same((await batch({ 'src/App.tsx': text, 'src/a.ts': text, 'index.html': page(text) })).proposals, [])
})

t.test('a run prefers another rule to a second idea of the same one', async (t) => {
  const site = {
    'index.html': page(
      '<h1>Lamps</h1><footer>24 Bd Notre Dame, 13006 Marseille</footer><a href="contact.html">Contact</a>',
    ),
    'contact.html': page('<h1>Contact</h1><p>18 rue des Abeilles, 13001 Marseille</p><p>(260) 483-1415</p>'),
  }
  const { proposals } = await batch(site)
  const scored = proposals.map((one) => ({ ...one, score: one.ruleId === 'map-link' ? 9 : 1 }))
  const chosen = filterCandidates(scored, requestOf(site, { count: 2 }), new BatchRecord())
  t.same([proposals.length, ...chosen.map(({ ruleId }) => ruleId)], [3, 'map-link', 'contact-links'])
})
