import { join } from 'node:path'
import t from 'tap'
import { chromiumProblem, launchChromium } from '../support/chromium.js'
import { STATIC_SITE } from '../support/front-ends/walk/static-site.js'
import { walk } from '../support/front-ends/walk/walk.js'
import { startService, temporaryDataDir } from '../support/service.js'

t.test('two experiments on a static page', { skip: chromiumProblem(), timeout: 300_000 }, async (t) => {
  const folder = temporaryDataDir()
  t.teardown(() => folder.remove())
  const service = await startService(join(folder.path, 'data'), { env: { SVC_SETTLING_HOURS: '0' } })
  t.teardown(() => service.stop())
  const browser = await launchChromium(t)
  await walk(t, { service, browser, path: join(folder.path, 'site'), site: STATIC_SITE })
})
