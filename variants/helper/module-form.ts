/** Sources import it: `variant`, and for sites that render on a server `visitorFrom` and `stateFrom`. */
export const MODULE_FORM = `/** @type {() => string | null | undefined} */
let visitorOnServer = () => undefined
/** @type {() => State} */
let stateOnServer = () => undefined

/**
 * For a site that renders pages on a server too. Call it once on the server, with what gives the id of the visitor whose
 * page is being rendered (the cookie svc_id of the request), and write the same id into the page:
 * <html data-svc-id="…">. A page without an id shows the control and counts nothing, so that what the browser renders
 * first is what the server rendered.
 * @param {() => string | null | undefined} read
 */
export function visitorFrom(read) {
  visitorOnServer = read
}

/**
 * The same for what is served: relay.state(), read once a request and written into the page as JSON:
 * <html data-svc-state="…">.
 * @param {() => State} read
 */
export function stateFrom(read) {
  stateOnServer = read
}

/**
 * The key of the variant to show: always the same for the same visitor. The control if anything is missing; never throws.
 * @template {string} Arm
 * @param {string} key of the experiment
 * @param {Readonly<Record<Arm, number>> | ReadonlyArray<readonly [Arm, number]>} splits whole percents by variant, the
 *   control first; as pairs if a key is a number, because objects move such keys to the front
 * @param {string | null} [visitor] whom the page is rendered for, if server and browser are both told
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
    // Never for somebody else, as a page from a cache might have it.
    if (!isServer && id === visitorOfPage()) expose(key, arm, id)
    return /** @type {Arm} */ (arm)
  } catch {
    return control
  }
}

/** In a page that a server rendered, the state that it was rendered with. */
function pageState() {
  if (!SERVER_RENDERED) return /** @type {any} */ (globalThis).svcState
  return JSON.parse(document.documentElement.dataset.svcState || 'null')
}

/** In a page that a server rendered: whom it was rendered for, if that is who is here. */
function visitorOfRendering() {
  const id = visitorOfPage()
  return !SERVER_RENDERED || document.documentElement.dataset.svcId === id ? id : undefined
}
`
