import { Agent, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { compileFunction } from 'node:vm'
import { seededRandom } from '../../support/random.js'
import { someAtOnce } from '../../support/some-at-once.js'
import { ORDERS } from './declaration.js'

/** Counts of visitors' actions by variant: what the service has to find. */
export interface Tally {
  readonly variant: string
  visitors: number
  orders: number
  /** Orders from another device than the one that saw the variant: they count through the sign-in. */
  elsewhere: number
}

const SIGN_IN = 0.18
const ELSEWHERE = 0.4
const COME_AGAIN = 0.2
const AT_ONCE = 24
const FORM = 'application/x-www-form-urlencoded'
const PRICES = [289, 419, 649] as const

/**
 * Visitors of the shop. Each has a browser that is just large enough for the helper: cookies, a storage, the
 * serving state, and the marked elements of the page. The helper as the shop serves it chooses the variant
 * and reports it to the shop's relay. The variant sets how likely an order is. The same seed gives the same
 * people. Orders wait for `seen`, because a busy machine could send an order before the exposure it follows.
 */
export async function sendVisitors(
  url: string,
  count: number,
  seed: number,
  progress: (done: number) => void,
  seen: () => Promise<void>,
): Promise<Tally[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE * 2 })
  const call = (method: string, path: string, cookie: string, body = '', type = FORM): Promise<Answer> =>
    exchange(agent, `${url}${path}`, method, cookie, body, type)
  const compiled = compileFunction((await call('GET', '/svc-experiments.js', '')).body, [...WINDOW])
  const page = { svcState: await servedState(call) }
  const helper = (...window: unknown[]): unknown =>
    Reflect.apply(compiled, undefined, [...window, page, () => 0])
  const tallies = Object.keys(ORDERS).map(
    (variant): Tally => ({ variant, visitors: 0, orders: 0, elsewhere: 0 }),
  )
  const orders: (() => Promise<void>)[] = []
  const visit = async (visitor: number): Promise<void> => {
    const random = seededRandom(seed * 100_003 + visitor)
    const browser = newBrowser(random, (body) => call('POST', '/_svc/exposures', '', body, 'text/plain'))
    await browser.load(helper, (await call('GET', '/', '')).body)
    const tally = tallies.find(({ variant }) => variant === browser.exposed())
    if (tally === undefined) throw new Error('a visitor was shown no variant of the experiment')
    tally.visitors++
    if (random() < COME_AGAIN) await browser.load(helper, (await call('GET', '/', browser.cookie())).body)
    let customer: string | undefined
    if (random() < SIGN_IN) {
      customer = `customer-${seed}-${visitor}@example.com`
      await call('POST', '/sign-in', browser.cookie(), `email=${encodeURIComponent(customer)}`)
    }
    if (random() >= (ORDERS[tally.variant] ?? 0)) return
    const elsewhere = customer !== undefined && random() < ELSEWHERE
    const cookie = elsewhere ? `customer=${encodeURIComponent(customer ?? '')}` : browser.cookie()
    const total = PRICES[Math.floor(random() * PRICES.length)] ?? PRICES[0]
    orders.push(async () => {
      await call('POST', '/orders', cookie, `total=${total}`)
      tally.orders++
      if (elsewhere) tally.elsewhere++
    })
  }
  let done = 0
  try {
    await someAtOnce([...Array(count).keys()], AT_ONCE, async (visitor) => {
      await visit(visitor)
      progress(++done)
    })
    await seen()
    await someAtOnce(orders, AT_ONCE, (order) => order())
  } finally {
    agent.destroy()
  }
  return tallies
}

/** The helper's view of its browser, in the order of its parameters. */
const WINDOW = [
  'document',
  'location',
  'navigator',
  'localStorage',
  'crypto',
  'fetch',
  'Request',
  'MutationObserver',
  'HTMLTemplateElement',
  'addEventListener',
  'globalThis',
  'setInterval',
] as const

/** The state that the shop's relay serves, as soon as it has the experiment: seconds after its start. */
async function servedState(
  call: (method: string, path: string, cookie: string) => Promise<Answer>,
): Promise<unknown> {
  for (const start = Date.now(); Date.now() - start < 30_000; ) {
    const { body } = await call('GET', '/_svc/state.js', '')
    const state = JSON.parse(body.replace('globalThis.svcState=', '')) as { experiments: object } | null
    if (state !== null && Object.keys(state.experiments).length > 0) return state
    await setTimeout(200)
  }
  throw new Error('the relay does not say that the experiment is served')
}

interface Browser {
  /** Shows a page: runs the helper and waits until its messages are answered. */
  load(helper: (...window: unknown[]) => unknown, page: string): Promise<void>
  cookie(): string
  /** The variant of the exposure that was sent. */
  exposed(): string | undefined
}

function newBrowser(random: () => number, post: (body: string) => Promise<Answer>): Browser {
  const cookies = new Map<string, string>()
  const stored = new Map<string, string>()
  const cookie = (): string => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  let exposed: string | undefined
  const sent: Promise<unknown>[] = []
  const send = (_path: string, { body }: { readonly body: string }): Promise<Answer> => {
    exposed = (JSON.parse(body) as { properties: { variant: string } }).properties.variant
    const answered = post(body)
    sent.push(answered)
    return answered
  }
  const storage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
  }
  const crypto = {
    getRandomValues: (bytes: Uint8Array) => bytes.map(() => Math.floor(random() * 256)),
  }
  class Observer {
    observe(): void {}
  }
  return {
    async load(helper, page) {
      const marks = [...page.matchAll(/<(?!template\b)[a-z][^>]*\bdata-svc="([^"]+)"/g)]
      const elements = marks.map(([, mark = '']) => ({
        getAttribute: () => mark,
        attributes: [],
        previousSibling: null,
      }))
      const document = {
        get cookie() {
          return cookie()
        },
        set cookie(text: string) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
          cookies.set(name, value)
        },
        querySelectorAll: () => elements,
        addEventListener: () => {},
      }
      helper(
        document,
        { protocol: 'http:', origin: '' },
        {},
        storage,
        crypto,
        send,
        Request,
        Observer,
        Object,
        () => {},
      )
      await Promise.all(sent)
    },
    cookie,
    exposed: () => exposed,
  }
}

interface Answer {
  readonly status: number
  readonly body: string
}

function exchange(
  agent: Agent,
  url: string,
  method: string,
  cookie: string,
  body: string,
  type: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(cookie === '' ? {} : { cookie }),
      ...(body === '' ? {} : { 'content-type': type }),
    }
    const sent = request(url, { agent, method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => {
        const status = response.statusCode ?? 0
        if (status >= 400) reject(new Error(`${method} ${url}: ${status} ${text}`))
        else resolve({ status, body: text })
      })
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
