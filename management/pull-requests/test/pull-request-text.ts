import t from 'tap'
import { helperSource } from '../../../variants/helper/source.js'
import { experimentText } from '../pull-request-text.js'

const EXPERIMENT = {
  key: 'hero',
  name: 'Hero',
  mechanism: '',
  hypothesis: '',
  variants: [
    { key: 'control', displayName: 'Control', trafficSplit: 50 },
    { key: 'b', displayName: 'B', trafficSplit: 50 },
  ],
}

function bodyWith(...contents: readonly (string | null)[]): string {
  const files = contents.map((after) => ({ path: 'app/svc-experiments.js', summary: 'Adds it', after }))
  return experimentText({ experiment: EXPERIMENT, person: 'Ada', notes: [], files }).body
}

t.test('a site that renders on a server is told the two lines that it takes', async (t) => {
  const helper = (serverRendered: boolean): string =>
    helperSource('module', { exposures: '/_svc/exposures', serverRendered })
  const told = bodyWith(null, helper(true))
  t.match(told, "import { visitorFrom } from '…/svc-experiments.js'")
  t.match(told, '`app/svc-experiments.js`')
  t.match(told, '<html data-svc-id=')
  t.notMatch(bodyWith(helper(false)), /visitorFrom|data-svc-id/)
  t.notMatch(bodyWith(null, '<html>'), /visitorFrom/, 'where the helper is there already, it has been said')
})
