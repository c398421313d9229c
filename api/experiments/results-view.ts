import type { TSchema } from '@sinclair/typebox'
import type { Results } from '../../domain/statistics/index.js'
import { verdictOf } from '../../domain/statistics/verdict.js'
import { ResultsSchema } from './results-schemas.js'

/** Results with their fields in the order of the schema, which Postgres does not keep. */
export function toShownResults(results: Results) {
  // Results stored by an earlier version lack both, and only those of started experiments are stored.
  const verdict = results.verdict ?? verdictOf(results, {}, (key) => key)
  const dataQuality = { ...results.dataQuality, zeroWeight: results.dataQuality.zeroWeight ?? 0 }
  return inOrderOf(ResultsSchema, { ...results, verdict, dataQuality })
}

/** Fields that the schema lacks are left out. */
function inOrderOf({ anyOf, items, properties }: TSchema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  // A nullable schema is one of two.
  if (anyOf !== undefined) return inOrderOf(anyOf[0], value)
  if (Array.isArray(value)) return value.map((item) => inOrderOf(items, item))
  const fields: Readonly<Record<string, unknown>> = { ...value }
  return Object.fromEntries(
    Object.entries<TSchema>(properties)
      .filter(([name]) => fields[name] !== undefined)
      .map(([name, schema]) => [name, inOrderOf(schema, fields[name])]),
  )
}
