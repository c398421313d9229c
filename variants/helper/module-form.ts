/** For sources: exports `variant`, and for sites that render on a server `visitorFrom` and `stateFrom`. */
export const MODULE_FORM = `/** @type {() => string | null | undefined} */
let visitorOnServer = () => undefined
/** @type {() => State} */
let stateOnServer = () => undefined

/**
 * For sites that render pages on a server too. Call it once on the server. It reads the id of the visitor
 * whose page is rendered: the cookie svc_id of the request. Write the same id into the page: <html
 * data-svc-id="…">. A page without an id shows the control and counts nothing, so that hydration starts with
 * the server's markup.
 * @param {() => string | null | undefined} read
 */
export function visitorFrom(read) {
  visitorOnServer = read
}

/**
 * The same for the serving state: read relay.state() once for each request, and write it into the page as
 * JSON: <html data-svc-state="…">.
 * @param {() => State} read
 */
export function stateFrom(read) {
  stateOnServer = read
}

/**
 * The key of the variant to show, always the same for a visitor. The control if anything is missing. Never
 * throws.
 * @template {string} Arm
 * @param {string} key of the experiment
 * @param {Readonly<Record<Arm, number>> | ReadonlyArray<readonly [Arm, number]>} splits whole percents by
 *   variant, the control first. Use pairs if a key is a number, because objects move such keys to the front
 * @param {string | null} [visitor] the page's visitor, if you pass it on the server and in the browser
 * @returns {Arm}
 */
export function variant(key, splits, visitor) {
  const arms = /** @type {[[Arm, number], ...[Arm, number][]]} */ (Array.isArray(splits) ? splits : Object.entries(splits))
  const control = arms[0][0]
  try {
    const isServer = typeof document === 'undefined'
    const served = isServer ? servedIn(stateOnServer(), key) : servedHere(key)
    if (served !== true) return (arms.find(([arm]) => arm === served) || arms[0])[0]
    const id = visitor !== undefined ? visitor : isServer ? visitorOnServer() : visitorOfRendering()
    if (!id) return control
    const arm = assign(key, arms, id)
    if (arm === undefined) return control
    // A cached page may be another visitor's.
    const isOurs = !isServer && id === visitorOfPage()
    const here = isOurs ? expose(key, arm, id) : arm
    // Hydration starts with what the server showed.
    return /** @type {Arm} */ (SERVER_RENDERED ? arm : here || control)
  } catch {
    return control
  }
}

/** In a page rendered on a server: the state that it was rendered with. */
function pageState() {
  if (!SERVER_RENDERED) return /** @type {any} */ (globalThis).svcState
  return JSON.parse(document.documentElement.dataset.svcState || 'null')
}

/** In a page rendered on a server: its visitor, if that is the visitor of this browser. */
function visitorOfRendering() {
  const id = visitorOfPage()
  return !SERVER_RENDERED || document.documentElement.dataset.svcId === id ? id : undefined
}
`
