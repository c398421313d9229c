import {
  deleteWithheldLinks,
  insertLink,
  readWithheldLinks,
  type WithheldLink,
} from '../../postgres/tables/identity-links.js'
import { allWatermarksPast } from '../../postgres/tables/watermarks.js'
import type { Services } from '../services.js'

const LINKS_AT_A_TIME = 500

/**
 * Decides about links of persons who were erased before: a link is made if its event was stored, and dropped
 * if the event stays erased, which is known once the event store is past its time.
 */
export async function resolveWithheldLinks(services: Services): Promise<void> {
  const links = await readWithheldLinks(services.sql, LINKS_AT_A_TIME)
  for (const workspaceId of new Set(links.map((link) => link.workspaceId)))
    await resolveInWorkspace(
      services,
      workspaceId,
      links.filter((link) => link.workspaceId === workspaceId),
    )
}

async function resolveInWorkspace(
  { sql, clickhouse }: Services,
  workspaceId: string,
  links: readonly WithheldLink[],
): Promise<void> {
  // Before the events are read: a link without an event is dropped only if no event can come any more.
  const newest = new Date(Math.max(...links.map(({ linkedAt }) => linkedAt.getTime())))
  const complete = await allWatermarksPast(sql, workspaceId, newest)
  const { rows } = await clickhouse.query<{ userId: string; anonymousId: string; at: number }>(
    `SELECT DISTINCT user_id AS userId, anonymous_id AS anonymousId, toUnixTimestamp64Milli(received_at) AS at
     FROM events
     WHERE workspace_id = {workspaceId:UUID} AND toUnixTimestamp64Milli(received_at) IN {times:Array(Int64)}
       AND received_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
       AND anonymous_id IN {anonymousIds:Array(String)}`,
    {
      params: {
        workspaceId,
        times: links.map(({ linkedAt }) => linkedAt.getTime()),
        from: Math.min(...links.map(({ linkedAt }) => linkedAt.getTime())),
        anonymousIds: links.map(({ anonymousId }) => anonymousId),
      },
      readYourWrites: true,
    },
  )
  const stored = new Set(rows.map((row) => keyOf(row.anonymousId, row.userId, row.at)))
  const made = links.filter((link) =>
    stored.has(keyOf(link.anonymousId, link.userId, link.linkedAt.getTime())),
  )
  for (const link of made)
    await insertLink(sql, {
      ...link,
      anonymousKey: BigInt(link.anonymousKey),
      userKey: BigInt(link.userKey),
    })
  const decided = complete ? links : made
  await deleteWithheldLinks(
    sql,
    decided.map(({ id }) => id),
  )
}

function keyOf(anonymousId: string, userId: string, at: number): string {
  return JSON.stringify([anonymousId, userId, at])
}
