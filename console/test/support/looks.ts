import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { findingsOf, settled, type Tab } from './browser.js'
import type { State } from './states.js'

/** Themes and widths. A page is loaded once and toggled in place. */
const LOOKS = [
  ['light', 1280],
  ['dark', 1280],
  ['dark', 390],
  ['light', 390],
] as const

/** Rules whose outcome depends on the theme. That of the others depends on the width alone. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/** Checks what a page shows now, in every look. Of an open dialog alone, because the rest is inert. */
export async function checkLooks(t: Test, page: Page, what: string): Promise<void> {
  const within = (await page.getByRole('dialog').count()) > 0 ? 'dialog[open]' : 'html'
  for (const [at, [colorScheme, width]] of LOOKS.entries()) {
    const name = `${what}, ${colorScheme}, ${width}`
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    t.same(await findingsOf(page, { within, rules: at % 2 === 0 ? undefined : COLOR_RULES }), [], name)
    const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    t.ok(Number(await page.evaluate(over)) <= 0, `${name} is as wide as the window`)
  }
}

/** Opens a page, brings it into a state, and checks it in every look. */
export async function checkState(t: Test, tab: Pick<Tab, 'page' | 'open'>, state: State): Promise<void> {
  const { page, open } = tab
  const [[, width]] = LOOKS
  await page.setViewportSize({ width, height: 800 })
  await open(state.path)
  await page.getByRole('heading', { level: 1, name: state.heading, exact: true }).waitFor()
  await settled(page)
  await state.enter?.(page)
  await checkLooks(t, page, state.path)
}
