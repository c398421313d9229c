import { pathProblem } from '../../../repositories/path-policy.js'
import { helperPlace, ownProblem } from '../../code-changes/index.js'
import type { WriteRules } from './messages.js'

/** Whether an experiment may give this file variants. `path` has to exist. */
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
