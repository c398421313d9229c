import { buildForThisSystem } from 'uWebSockets.js/build'

/**
 * Why this Node cannot run svc, in one line, or undefined where it can. Asked before anything native is loaded, since loading the wrong
 * binary ends in an error nobody understands.
 */
export function platformProblem(): string | undefined {
  return buildForThisSystem().problem
}
