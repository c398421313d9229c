import { buildForThisSystem } from 'uWebSockets.js/build'

/**
 * Why svc cannot run on this Node, in one line; undefined if it can. To be called before anything native is
 * loaded, because loading the wrong binary fails with an error that does not help.
 */
export function platformProblem(): string | undefined {
  return buildForThisSystem().problem
}
