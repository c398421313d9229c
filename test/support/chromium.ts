import { type Browser, chromium } from 'playwright-core'
import type { Test } from 'tap'
import { executablePath } from './executable.js'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The system's Chromium, by the search path; undefined if there is none. */
export function chromiumPath(searchPath?: string): string | undefined {
  return executablePath(NAMES, searchPath)
}

/** Why a test with a browser cannot run here: the reason to skip it with, or false. */
export function chromiumProblem(searchPath?: string): string | false {
  if (chromiumPath(searchPath) !== undefined) return false
  return 'optional: no Chromium on this machine (Debian: apt-get install chromium)'
}

/** A headless Chromium that goes away with the test. Makes no connections by itself, and looks nothing up. */
export async function launchChromium(t: Test): Promise<Browser> {
  const executablePath = chromiumPath()
  if (executablePath === undefined) throw new Error('no Chromium on this machine')
  const browser = await chromium.launch({
    executablePath,
    // Root may have no sandbox, and containers have little shared memory.
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
    ],
  })
  t.teardown(() => browser.close())
  return browser
}
