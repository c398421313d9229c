import { ApiError } from '../../../client/api-error.js'

/** The API's message about a field, by its path; undefined without one. */
export type ProblemAt = (path: string) => string | undefined

const NUMBERED = String.raw`\/\d+`
/** Paths of the fields of the form. */
const FIELDS = new RegExp(
  `^/(${[
    'name|key|hypothesis|mechanism|notes|priority',
    `variants|variants${NUMBERED}/(displayName|trafficSplit)`,
    `conversionTargets|conversionTargets${NUMBERED}/(eventName|name|windowHours|margin|metric/property)`,
    'sizing/(minimumEffect|exposureEvent)',
    `surfaces${NUMBERED}(/(path|anchor))?`,
    `changes${NUMBERED}(/(path|content|edits${NUMBERED}/(find|replace|variant)))?`,
  ].join('|')})$`,
)

export function problemsOf(failure: ApiError | undefined): ProblemAt {
  return (path) => {
    const found = failure?.details.filter((detail) => detail.path === path) ?? []
    return found.length === 0 ? undefined : found.map(({ message }) => sentence(message)).join('. ')
  }
}

/** The failure with the details that no field shows; undefined if the fields show all of it. */
export function unplaced(failure: ApiError | undefined): ApiError | undefined {
  if (failure === undefined) return undefined
  const rest = failure.details.filter(({ path }) => !FIELDS.test(path))
  if (failure.details.length > 0 && rest.length === 0) return undefined
  const { status, code, message, requestId } = failure
  return new ApiError(status, code, message, requestId, rest)
}

function sentence(message: string): string {
  const text = message === 'must have at least 1 character' ? 'must not be empty' : message
  return text.charAt(0).toUpperCase() + text.slice(1)
}
