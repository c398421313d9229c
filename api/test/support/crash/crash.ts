import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedClickHouse } from '../../../../clickhouse/embedded/open.js'
import { migrateClickHouse } from '../../../../clickhouse/migrate.js'
import type { ClickHouse } from '../../../../clickhouse/port.js'
import { endLeases } from '../../../../management/jobs/test/support/jobs.js'
import type { Sql } from '../../../../postgres/driver/client.js'
import { withDatabase } from '../../../../postgres/test/support/database.js'
import { noClickHouse } from '../stage.js'
import { type CrashChild, startCrashChild } from './start-crash-child.js'

interface Teardowns {
  teardown(fn: () => unknown): unknown
}

/** Stores shared by a killed process and the next one. */
export interface CrashStores {
  readonly sql: Sql
  readonly secretKey: Buffer
  /** For the next process; each killed one has its own. */
  readonly clickhouse: ClickHouse
  /** For the test's files. */
  readonly folder: string
  /** A process that kills itself at that pass of the fault point. */
  startChild(test: Teardowns, killAt: string, pass?: number): Promise<CrashChild>
  /** Ends job leases, as if their process had been silent for a minute. */
  letLeasesEnd(): PromiseLike<unknown>
}

/**
 * A database for crash tests.
 *
 * @param has `clickhouse`: with a migrated ClickHouse; `effect`: with the operation whose effect is in
 * `folder`
 */
export async function withCrashStores(
  t: Teardowns,
  has: { readonly clickhouse?: true; readonly effect?: true } = {},
): Promise<CrashStores> {
  const { sql, url: postgresUrl } = await withDatabase(t)
  const secretKey = Buffer.alloc(32, 7)
  const folder = mkdtempSync(join(tmpdir(), 'svc-crash-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
  let started = 0
  return {
    sql,
    secretKey,
    folder,
    clickhouse: has.clickhouse === true ? await openClickHouse(t, join(folder, 'clickhouse')) : noClickHouse,
    startChild: (test, killAt, pass = 1) =>
      startCrashChild(test, {
        postgresUrl,
        ...(has.clickhouse === true ? { clickhousePath: join(folder, `child-${++started}`) } : {}),
        ...(has.effect === true ? { effectFolder: folder } : {}),
        secretKey: secretKey.toString('hex'),
        killAt,
        pass,
      }),
    letLeasesEnd: () => endLeases(sql),
  }
}

async function openClickHouse(t: Teardowns, path: string): Promise<ClickHouse> {
  const clickhouse = await openEmbeddedClickHouse({ path, readers: 1 })
  t.teardown(() => clickhouse.close())
  await migrateClickHouse(clickhouse)
  return clickhouse
}
