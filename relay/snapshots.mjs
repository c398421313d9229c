/** @import { ServingState } from './index.mjs' */

/**
 * A serving state in the three forms in which sites ask for it.
 *
 * @typedef {{ state: ServingState | null, script: string, attribute: string }} Snapshot
 */

/**
 * The state for people, and the state for crawlers, which see shipped variants and otherwise the control.
 *
 * @param {ServingState | null} state
 */
export function snapshotsOf(state) {
  const shipped = state && Object.entries(state.experiments).filter(([, served]) => served !== true)
  return { people: snapshotOf(state), crawlers: snapshotOf(shipped && frozen(shipped)) }
}

/**
 * @param {ServingState | null} state
 * @returns {Snapshot}
 */
function snapshotOf(state) {
  const json = JSON.stringify(state)
  return {
    state,
    script: `globalThis.svcState=${json.replaceAll('<', '\\u003c')}`,
    attribute: json.replace(/[&"'<>]/g, (char) => `&#${char.charCodeAt(0)};`),
  }
}

/**
 * @param {readonly (readonly [string, true | string])[]} entries
 * @returns {ServingState}
 */
export function frozen(entries) {
  return Object.freeze({ version: 1, experiments: Object.freeze(Object.fromEntries(entries)) })
}

/**
 * The experiments whose visitors are assigned and counted.
 *
 * @param {ServingState | null} state
 */
export function assignedIn(state) {
  return Object.entries(state?.experiments ?? {}).flatMap(([key, served]) => (served === true ? [key] : []))
}
