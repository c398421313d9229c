/**
 * Part of both forms: the visitor, the assignment and the exposure. It is a text and not a printed function,
 * because people read it in the site's repository.
 */
export const VISITOR = `const COOKIE = 'svc_id'
const YEAR = 365 * 24 * 60 * 60

/**
 * svc assigns visitors in the same way: FNV-1a over UTF-16 units, twice, in 10,000 buckets. Do not change it.
 * @param {string} text
 */
function fnv1a(text) {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/**
 * @param {string} key
 * @param {ReadonlyArray<readonly [string, number]>} arms whole percents that add up to 100, the control first
 * @param {string} visitor
 */
function assign(key, arms, visitor) {
  const bucket = fnv1a(String(fnv1a(key + visitor))) % 10000
  let end = 0
  for (const [arm, percent] of arms) {
    end += percent * 100
    if (bucket < end) return arm
  }
  return undefined
}

function readCookie() {
  const found = document.cookie.match(/(?:^|; )svc_id=([^;]+)/)
  return found ? found[1] : undefined
}

/** @param {string} id */
function writeCookie(id) {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  document.cookie = COOKIE + '=' + id + '; Path=/; Max-Age=' + YEAR + '; SameSite=Lax' + secure
}

/** @type {string | undefined} fixed until the page is left */
let pageVisitor
let isNew = false

/** The visitor's id, made if there is none yet; undefined if there can be no cookie. */
function visitorOfPage() {
  if (pageVisitor !== undefined) return pageVisitor
  let id = readCookie()
  if (id === undefined) {
    id = ''
    for (const byte of crypto.getRandomValues(new Uint8Array(16))) id += byte.toString(16).padStart(2, '0')
    writeCookie(id)
    id = readCookie()
    isNew = true
  }
  if (id !== undefined && id.length <= 255) pageVisitor = id
  return pageVisitor
}

/** Stored instead of the variant that was shown if its exposure was not accepted. */
const UNSENT = '!'
/** @type {Map<string, string | undefined>} by experiment: what this page shows */
const shown = new Map()

/**
 * Reports once for a visitor that the variant was shown, in however many pages and tabs. Returns what to show:
 * not the variant if an earlier page could not report it.
 * @param {string} key
 * @param {string} arm
 * @param {string} visitor
 */
function expose(key, arm, visitor) {
  if (shown.has(key)) return shown.get(key)
  const guard = COOKIE + ':' + key + ':' + visitor
  let past
  try {
    past = localStorage.getItem(guard)
  } catch {
    // Storage is blocked, so that no earlier page could tell.
  }
  shown.set(key, past === UNSENT ? undefined : arm)
  const send = () => sendOnce(key, arm, visitor, guard)
  const start = () => {
    // One tab at a time. Without locks (old browsers, http) two tabs may send, which still counts once.
    if (navigator.locks) navigator.locks.request(COOKIE, send).catch(() => {})
    else send()
  }
  // A prerendered page has not been shown yet.
  if ('prerendering' in document && document.prerendering)
    document.addEventListener('prerenderingchange', start, { once: true })
  else start()
  return shown.get(key)
}

/**
 * @param {string} key
 * @param {string} arm
 * @param {string} visitor
 * @param {string} guard
 */
function sendOnce(key, arm, visitor, guard) {
  try {
    // Another tab made an id at the same time and was first. It reports for the visitor.
    if ((isNew ? settleVisitor(visitor) : readCookie()) !== visitor) return
    const sent = localStorage.getItem(guard)
    if (sent && sent !== UNSENT) return
    localStorage.setItem(guard, arm)
    post(key, arm, visitor, (mark) => localStorage.setItem(guard, mark))
  } catch {
    // Storage is blocked or full. An exposure that is sent again counts once.
    post(key, arm, visitor, () => {})
  }
}

/**
 * The first of several tabs that made an id at the same time decides for all. Later the cookie counts.
 * @param {string} visitor
 */
function settleVisitor(visitor) {
  isNew = false
  const [first, at] = (localStorage.getItem(COOKIE) || '').split(' ')
  const settled = first && Date.now() - Number(at) < 3000 ? first : visitor
  if (settled === visitor) localStorage.setItem(COOKIE, visitor + ' ' + Date.now())
  writeCookie(settled)
  return settled
}

/**
 * @param {string} key
 * @param {string} arm
 * @param {string} visitor
 * @param {(mark: string) => void} fail called if it was not accepted, so that the next page tries again
 */
function post(key, arm, visitor, fail) {
  const url = location.origin + EXPOSURES
  const properties = { experiment: key, variant: arm }
  const body = JSON.stringify({ event: '$exposure', anonymousId: visitor, properties })
  // Both outlive the page. Only fetch reports whether it arrived.
  let isLeft = false
  addEventListener('pagehide', () => (isLeft = true), { once: true })
  if ('keepalive' in Request.prototype)
    fetch(url, { method: 'POST', body, keepalive: true }).then(({ status }) => {
      if (status !== 204) fail(status === 429 || status >= 500 ? '' : UNSENT)
      // A page that is left cannot know.
    }, () => fail(isLeft ? '' : UNSENT))
  else navigator.sendBeacon(url, body)
}
`
