import type { Browser } from 'playwright-core'

export const PERSON =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'
export const CRAWLER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'

export interface Visitor {
  /** The cookie; undefined on a first visit. */
  readonly id: string | undefined
  readonly userAgent: string
}

export interface Seen {
  /** Title and visible text of the page, in one line. */
  readonly text: string
  /** Experiments whose exposures were sent. */
  readonly exposures: readonly string[]
  /** Errors of the page's scripts, and answers to exposures other than 204. */
  readonly errors: readonly string[]
  readonly hasCookie: boolean
}

/** A newly loaded page in a browser that has stored nothing but the cookie. */
export async function visit(browser: Browser, url: string, { id, userAgent }: Visitor): Promise<Seen> {
  const context = await browser.newContext({ userAgent })
  try {
    if (id !== undefined) await context.addCookies([{ name: 'svc_id', value: id, url }])
    const page = await context.newPage()
    const errors: string[] = []
    const exposures: string[] = []
    page.on('pageerror', (error) => void errors.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text())
    })
    page.on('request', (request) => {
      if (!request.url().endsWith('/_svc/exposures')) return
      const sent = JSON.parse(request.postData() ?? '{}') as { properties?: { experiment?: string } }
      exposures.push(sent.properties?.experiment ?? '')
    })
    page.on('response', (response) => {
      if (response.url().endsWith('/_svc/exposures') && response.status() !== 204)
        errors.push(`exposure: ${response.status()}`)
    })
    await page.goto(url)
    // Exposures are sent from within a lock.
    await page.evaluate("navigator.locks.request('svc_id', () => {})")
    const text = (await page.evaluate(
      "(document.title + ' ' + document.body.innerText).replace(/\\s+/g, ' ')",
    )) as string
    const hasCookie = (await context.cookies()).some(({ name }) => name === 'svc_id')
    return { text, exposures: exposures.sort(), errors, hasCookie }
  } finally {
    await context.close()
  }
}
