import type { ClickHouse } from '../../clickhouse/port.js'
import { type FunnelPersonsRequest, queryFunnelPersons } from '../../clickhouse/queries/funnel/index.js'
import { type PersonId, personId } from '../../domain/person.js'
import type { Sql } from '../../postgres/driver/client.js'
import { findLinks } from '../../postgres/tables/identity-links.js'

/** A person of a funnel, and the number of steps of the best attempt. */
export interface FunnelPerson {
  readonly personId: PersonId
  readonly steps: number
}

/** The persons at a step, under the ids that they have now. Throws ClickHouseError. */
export async function* funnelPersons(
  { sql, clickhouse }: { readonly sql: Sql; readonly clickhouse: ClickHouse },
  request: FunnelPersonsRequest,
): AsyncGenerator<readonly FunnelPerson[]> {
  for await (const rows of queryFunnelPersons(clickhouse, request)) {
    const anonymous = rows.flatMap(({ userId, anonymousId }) => (userId === '' ? [anonymousId] : []))
    const links = await findLinks(sql, request.workspaceId, anonymous)
    yield rows.map(({ userId, anonymousId, steps }) => ({
      personId: personId(userId, anonymousId, links.get(anonymousId)),
      steps,
    }))
  }
}
