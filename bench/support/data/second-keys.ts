import type { ClickHouse } from '../../../clickhouse/port.js'

/**
 * Links three persons of ten under their second key: person N has the keys `sipHash64(N, 0)` and
 * `sipHash64(N, 1)`; `anonymous` says which is linked to the other.
 */
export async function linkSecondKeys(
  clickhouse: ClickHouse,
  workspaceId: string,
  persons: number,
  anonymous: 0 | 1,
): Promise<void> {
  const keys = await clickhouse.query<{ anonymous: string; user: string }>(
    `SELECT toString(sipHash64(number, {anonymous:UInt8})) AS anonymous, toString(sipHash64(number, toUInt8(1 - {anonymous:UInt8}))) AS user
     FROM numbers({persons:UInt64}) WHERE number % 10 < 3`,
    { params: { persons, anonymous } },
  )
  await clickhouse.insertLinks(
    keys.rows.map(({ anonymous, user }) => ({
      workspaceId,
      anonymousKey: BigInt.asIntN(64, BigInt(anonymous)),
      userKey: BigInt.asIntN(64, BigInt(user)),
    })),
  )
}
