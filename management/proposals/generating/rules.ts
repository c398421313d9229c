import { pathProblem } from '../../../repositories/path-policy.js'
import { helperPlace, ownProblem } from '../../code-changes/index.js'
import type { WriteRules } from './messages.js'

/** Whether the pull request of an experiment that gives this file variants could be written. Paths are those of files that are there. */
export function mayChange(path: string, { allow, helper, helperForm, hasSources }: WriteRules): boolean {
  if (ownProblem(path, helper) !== undefined || pathProblem(path, { allow }) !== undefined) return false
  const src = { path: 'src', kind: 'folder', id: '', size: undefined, unreadableName: false } as const
  const place = helperPlace({
    configured: null,
    known: helper,
    paths: [path],
    entries: new Map(hasSources ? [['src', src]] : []),
  })
  if (place === undefined) return true
  return !('problem' in place) && (helperForm === undefined || helperForm === place.form)
}
