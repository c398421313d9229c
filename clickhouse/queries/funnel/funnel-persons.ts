import { type ClickHouse, ClickHouseError } from '../../port.js'
import { Parameters } from '../parameters.js'
import { type PersonsOptions, personColumns, personsSql } from './persons.js'
import {
  attemptSql,
  boundsToSettings,
  DEFAULT_BOUNDS,
  type FunnelRequest,
  orderMatters,
  queryFunnel,
} from './query-funnel.js'
import { selectEvents } from './selection/event-selection.js'
import { fitsNarrowKey, NARROW_GUARD, orderKey } from './selection/order-key.js'

export interface FunnelPersonsRequest extends FunnelRequest {
  /** Index of a step, from 0. */
  readonly step: number
  /** Persons who reached the step, or those of them who reached no further one. */
  readonly outcome: 'reached' | 'lost'
  /** Persons of one statement, about. @default 20000 */
  readonly slicePersons?: number
}

/** A person of a funnel. One of the ids may be empty. */
export interface FunnelPersonRow {
  readonly userId: string
  readonly anonymousId: string
  /** Number of steps of the best attempt. */
  readonly steps: number
}

const SLICE_PERSONS = 20_000

/**
 * The persons that `queryFunnel` counts at a step, each once, as long as no data arrives meanwhile. Persons
 * are divided by their keys, so that each statement and its answer stay small; each reads the funnel's
 * events. The signal of the request ends the first two statements; later ones run only if the caller asks.
 *
 * @throws ClickHouseError
 */
export async function* queryFunnelPersons(
  clickhouse: ClickHouse,
  request: FunnelPersonsRequest,
): AsyncGenerator<readonly FunnelPersonRow[]> {
  const { result } = await queryFunnel(clickhouse, request)
  const slices = Math.ceil(result.entered / (request.slicePersons ?? SLICE_PERSONS))
  const { signal: _, ...later } = request
  for (let slice = 0; slice < slices; slice++) {
    const rows = await readSlice(clickhouse, slice === 0 ? request : later, `person % ${slices} = ${slice}`)
    if (rows.length > 0) yield rows
  }
}

async function readSlice(
  clickhouse: ClickHouse,
  request: FunnelPersonsRequest,
  slice: string,
): Promise<readonly FunnelPersonRow[]> {
  try {
    return await selectPersons(clickhouse, request, slice, 128)
  } catch (error) {
    if (!(error instanceof ClickHouseError && error.code === 'assertion')) throw error
    return selectPersons(clickhouse, request, slice, 256)
  }
}

/** @param width bits of the key that orders events exactly */
async function selectPersons(
  clickhouse: ClickHouse,
  { workspaceId, steps, query, step, outcome, limits, signal }: FunnelPersonsRequest,
  slice: string,
  width: 128 | 256,
): Promise<readonly FunnelPersonRow[]> {
  const parameters = new Parameters()
  const events = selectEvents(workspaceId, steps, query, parameters)
  const workspace = parameters.bind('UUID', workspaceId)
  const person = clickhouse.personSql(workspace)
  const narrow = width === 128 && fitsNarrowKey(events)
  const options: PersonsOptions = {
    carried: undefined,
    person,
    where: narrow ? [slice, NARROW_GUARD] : [slice],
    order: orderKey(events, narrow ? 128 : 256),
    identified: false,
    orderMatters: orderMatters(query),
  }
  const attempts = attemptSql(query)(
    events,
    {
      steps: steps.length,
      windowMs: query.windowSeconds * 1_000,
      persons: personsSql(events, options),
      ...personColumns(options),
    },
    query,
  )
  const reached = outcome === 'lost' ? `= ${step + 1}` : `> ${step}`
  const { rows } = await clickhouse.query<FunnelPersonRow>(
    `SELECT max(user_id) AS userId, max(anonymous_id) AS anonymousId, any(steps) AS steps FROM (
       SELECT ${person.key} AS person, user_id, anonymous_id FROM (${person.linked(
         `SELECT person_key, user_id, anonymous_id FROM events WHERE workspace_id = ${workspace}`,
       )})
     ) AS seen
     INNER JOIN (SELECT person, length(times) AS steps FROM (${attempts}) WHERE steps ${reached}) AS attempt USING person
     GROUP BY person ORDER BY person`,
    { params: parameters.values, settings: boundsToSettings(limits ?? DEFAULT_BOUNDS), signal },
  )
  return rows
}
