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
  conversionTargets: [],
}

const helper = (form: 'module' | 'script', serverRendered = false): string =>
  helperSource(form, { exposures: '/_svc/exposures', serverRendered })

function bodyWith(files: Readonly<Record<string, string | null>>): string {
  const written = Object.entries(files).map(([path, after]) => ({ path, summary: 'Adds it', after }))
  return experimentText({ experiment: EXPERIMENT, person: 'Ada', notes: [], files: written }).body
}

t.test('the text for a site with server rendering names the lines to add', async (t) => {
  const told = bodyWith({ gone: null, 'app/svc-experiments.js': helper('module', true) })
  t.match(told, "import { stateFrom, visitorFrom } from '…/svc-experiments.js'")
  t.match(told, '`app/svc-experiments.js`')
  t.match(told, '<html data-svc-id={id} data-svc-state={JSON.stringify(state)}>')
  t.match(told, 'Mount the relay on `/_svc`')
  t.notMatch(told, /<script|vite/)
})

t.test('the mechanism is named as one, if there is one', async (t) => {
  const of = (mechanism: string): string =>
    experimentText({ experiment: { ...EXPERIMENT, mechanism }, person: 'Ada', notes: [], files: [] }).body
  t.match(of('order'), /^Mechanism: order$/m)
  t.notMatch(of(''), 'Mechanism')
})

t.test('the events that the site has to send are named, if there are any', async (t) => {
  const target = { name: '', direction: 'increase', windowHours: 168, filters: [] } as const
  const of = (...names: readonly string[]): string => {
    const conversionTargets = names.map((eventName) => ({ ...target, eventName }))
    return experimentText({
      experiment: { ...EXPERIMENT, conversionTargets },
      person: 'Ada',
      notes: [],
      files: [],
    }).body
  }
  t.match(of('paid'), 'Measured by `paid`. Your server sends it')
  t.match(of('paid', 'seen', 'paid'), 'Measured by `paid`, and by `seen`. Your server sends them')
  t.match(of('paid', 'seen'), 'received `paid` once before the experiment can start')
  t.notMatch(of(), 'Measured by')
})

t.test('a bundle is told which line to add if svc found no place for it', async (t) => {
  const told = bodyWith({
    'src/svc-experiments.js': helper('module'),
    'src/App.vue': '<template></template>',
  })
  t.match(told, 'Add `<script src="/_svc/state.js"></script>`')
  t.notMatch(told, /visitorFrom|data-svc-id/)
  const tag = '<head><script vite-ignore src="/_svc/state.js"></script></head>'
  const tagged = bodyWith({ 'src/svc-experiments.js': helper('module'), 'index.html': tag })
  t.notMatch(tagged, 'Add `<script')
  t.match(tagged, /Mount the relay.*vite dev/s)
})

t.test('the lines are named only together with the helper', async (t) => {
  const page = bodyWith({
    'svc-experiments.js': helper('script'),
    'index.html': '<script src="/_svc/state.js">',
  })
  t.match(page, 'Mount the relay on `/_svc`')
  t.notMatch(page, /Add `<script|vite/)
  t.notMatch(bodyWith({ gone: null, 'index.html': '<html>' }), /relay|visitorFrom/)
})
