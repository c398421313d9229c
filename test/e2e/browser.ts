import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { chromiumProblem, launchChromium } from '../support/chromium.js'
import { commitAll, travel } from '../support/front-ends/journey.js'
import { startService, temporaryDataDir } from '../support/service.js'

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Shop</title>
  </head>
  <body>
    <h1>Welcome</h1>
    <p>Buy <b>now</b></p>
    <input placeholder="Your mail">
  </body>
</html>
`

/* Exposures of a browser go through the relay into a funnel by variant and into the results. */
t.test(
  'exposures go from a browser through the relay into a funnel',
  { skip: chromiumProblem(), timeout: 600_000 },
  async (t) => {
    const folder = temporaryDataDir()
    t.teardown(() => folder.remove())
    const service = await startService(join(folder.path, 'data'), {
      env: { SVC_SETTLING_HOURS: '0', SVC_RESULTS_MAX_AGE_SECONDS: '1' },
    })
    t.teardown(() => service.stop())
    const browser = await launchChromium(t)
    const path = join(folder.path, 'site')
    mkdirSync(path)
    writeFileSync(join(path, 'index.html'), PAGE)
    commitAll(path)
    await travel(t, service, browser, {
      path,
      key: 'hello',
      served: '.',
      page: '/',
      edits: {
        'index.html': [
          { find: 'Welcome', replace: 'Hello again', variant: 'b' },
          { find: '<p>Buy <b>now</b></p>', replace: '<p>Try it</p>\n    <p>for a month</p>', variant: 'b' },
          { find: '"Your mail"', replace: '"Mail of yours"', variant: 'b' },
        ],
      },
      shown: {
        control: ['Welcome', 'Buy now', 'Your mail'],
        b: ['Hello again', 'Try it', 'for a month', 'Mail of yours'],
      },
    })
  },
)
