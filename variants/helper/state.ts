/** Part of both forms: the serving state of the page. Each form defines `pageState`. */
export const STATE = `/**
 * The serving state. By experiment: true (assign and count), or the key of the variant that everybody gets.
 * @typedef {{ readonly experiments: Readonly<Record<string, unknown>> } | null | undefined} State
 */

/** @type {State} */
let state
let isStateRead = false
/** @type {Map<string, unknown>} by experiment: the state at first use, until the page is left */
const held = new Map()

/**
 * The state of an experiment in this page. Anything but true or a text means the control.
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

/** Asks again while the page is open, for experiments that appear later. */
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
      // The last known state holds.
      .catch(() => {})
  }
  document.addEventListener('visibilitychange', ask)
  setInterval(ask, 60000)
}
`
