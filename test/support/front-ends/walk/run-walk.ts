import { join } from 'node:path'
import t from 'tap'
import { chromiumProblem, launchChromium } from '../../chromium.js'
import { startService, temporaryDataDir } from '../../service.js'
import { type WalkedSite, walk } from './walk.js'

/** The suite of one kind of site: all orders of merging, or some. */
export function runWalk(kind: string, site: WalkedSite, letters?: string): void {
  t.test(`two experiments on ${kind}`, { skip: chromiumProblem(), timeout: 600_000 }, async (t) => {
    const folder = temporaryDataDir()
    t.teardown(() => folder.remove())
    const service = await startService(join(folder.path, 'data'), { env: { SVC_SETTLING_HOURS: '0' } })
    t.teardown(() => service.stop())
    const browser = await launchChromium(t)
    await walk(t, { service, browser, path: join(folder.path, 'site'), site, letters })
  })
}
