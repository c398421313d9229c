import type { Test } from 'tap'
import { openEmbeddedClickHouse } from '../../embedded/open.js'
import { connectSharedClickHouse } from '../../embedded/shared.js'
import { migrateClickHouse } from '../../migrate.js'
import type { ClickHouse } from '../../port.js'

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
