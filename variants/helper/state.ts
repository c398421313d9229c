/** The part of both forms that knows which experiments are served. `pageState` is each form's own. */
export const STATE = `/**
 * What svc serves: by experiment true (assign and count), or the key of the variant that everybody gets.
 * @typedef {{ readonly experiments: Readonly<Record<string, unknown>> } | null | undefined} State
 */

/** @type {State} */
let state
let isStateRead = false
/** @type {Map<string, unknown>} by experiment: what this page goes by, so that nothing changes until it is left */
const held = new Map()

/**
 * What is served of an experiment in this page: the control, if it is neither true nor a text.
 * @param {string} key
 */
function servedHere(key) {
  if (!held.has(key)) {
    if (!isStateRead) {
      isStateRead = true
      state = pageState()
    }
    const served = servedIn(state, key)
    held.set(key, served)
    if (served === true || typeof served === 'string') followState()
  }
  return held.get(key)
}

/**
 * @param {State} state
 * @param {string} key
 */
function servedIn(state, key) {
  return state && state.experiments ? state.experiments[key] : undefined
}

let isFollowing = false

/** Experiments that appear later in a page that stays open go by what is served then. */
function followState() {
  if (isFollowing) return
  isFollowing = true
  const ask = () => {
    if (document.visibilityState !== 'visible') return
    fetch(location.origin + STATE, { cache: 'no-store' })
      .then((answer) => answer.text())
      .then((text) => {
        state = JSON.parse(text.replace('globalThis.svcState=', ''))
      })
      // Not to be had now: what was known stays.
      .catch(() => {})
  }
  document.addEventListener('visibilitychange', ask)
  setInterval(ask, 60000)
}
`
