import type { Test } from 'tap'
import { openEmbeddedClickHouse } from '../../embedded.js'
import { migrateClickHouse } from '../../migrate.js'
import type { ClickHouse } from '../../port.js'
import { connectSharedClickHouse } from '../../shared.js'

/** A migrated embedded store, as the thread that has it and as another one sees it. */
export async function openTwice(t: Test): Promise<{ clickhouse: ClickHouse; other: ClickHouse }> {
  const path = t.testdir()
  const clickhouse = await openEmbeddedClickHouse({ path })
  t.teardown(() => clickhouse.close())
  await migrateClickHouse(clickhouse)
  const other = connectSharedClickHouse({ port: clickhouse.share(), path })
  t.teardown(() => other.close())
  return { clickhouse, other }
}
