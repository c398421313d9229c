import { matchesEtag } from '../../runtime/etag.js'
import { unavailableRefusal } from '../http/errors.js'
import type { ServingState, ServingStates } from '../serving/serving-states.js'
import type { ReadHandler } from './route-handler.js'

const STATE_UNAVAILABLE = unavailableRefusal(
  'the serving state is unavailable: keep the last one and ask again',
  1,
)
const RELAY_NAME = /^[\w.-]{1,64}$/

/** `GET /v1/serving`: what the sites of the key's workspace show now. */
export function servingHandler(states: ServingStates): ReadHandler {
  return (exchange, caller, head) => {
    const { credential } = caller
    const workspaceId = credential.workspace.id
    const { ifNoneMatch, relay } = head
    states.noteVisit(workspaceId, relay !== undefined && RELAY_NAME.test(relay) ? relay : credential.id)
    const answer = (state: ServingState | undefined): void => {
      if (state === undefined) {
        exchange.refuse(STATE_UNAVAILABLE)
        return
      }
      const headers = [
        ['ETag', state.etag],
        ['Cache-Control', 'no-store'],
      ] as const
      if (matchesEtag(ifNoneMatch, state.etag)) exchange.answer(304, '', headers)
      else exchange.answer(200, state.body, headers)
    }
    const state = states.find(workspaceId)
    if (state instanceof Promise) exchange.trackWork(state.then(answer))
    else answer(state)
  }
}
