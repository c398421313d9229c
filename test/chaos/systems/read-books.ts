import type { Sql } from '../../../postgres/driver/client.js'
import type { Books } from './system.js'

/** Counts of events and links in Postgres. The caller adds the log's own count. */
export async function readBooks(sql: Sql): Promise<Omit<Books, 'appended'>> {
  const links = await sql<{ anonymous: string; user: string; a: string; u: string }[]>`
    select anonymous_id as anonymous, user_id as user, anonymous_key as a, user_key as u from identity_links`
  const [sums] = await sql<{ stored: string; duplicates: string; dead: string; outbox: string }[]>`
    select sum(total_stored + open_stored) as stored, sum(total_duplicates + open_duplicates) as duplicates,
      sum(total_dead + open_dead) as dead, (select count(*) from link_outbox) as outbox
    from log_partitions`
  const unsigned = (key: string): string => BigInt.asUintN(64, BigInt(key)).toString()
  return {
    links: links.map(({ anonymous, user, a, u }) => ({
      anonymousId: anonymous,
      userId: user,
      anonymousKey: unsigned(a),
      userKey: unsigned(u),
    })),
    outbox: Number(sums?.outbox),
    stored: Number(sums?.stored),
    duplicates: Number(sums?.duplicates),
    dead: Number(sums?.dead),
  }
}
