import type { Context } from '../../context.js'
import { parseMoment } from '../../option-parsers.js'

/** A time as the API takes it, from a time or from how long ago it was. */
export function parseTime(context: Pick<Context, 'now'>): (text: string) => string {
  return (text) => {
    // A day is its start in UTC.
    const moment = parseMoment(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text)
    const at = 'at' in moment ? moment.at.getTime() : context.now() - moment.agoMs
    return new Date(at).toISOString()
  }
}
