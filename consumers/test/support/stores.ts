import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedClickHouse } from '../../../clickhouse/embedded/open.js'
import { migrateClickHouse } from '../../../clickhouse/migrate.js'
import type { ClickHouse } from '../../../clickhouse/port.js'
import { openStore } from '../../../clickhouse/test/support/open-store.js'
import { connectPostgres, type Sql } from '../../../postgres/driver/client.js'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../postgres/embedded/start.js'
import { migratePostgres } from '../../../postgres/migrate.js'

/** Folder and teardowns of a test file. */
export class TestStores {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-consumers-'))
  private readonly undo: Array<() => unknown> = []
  private server: EmbeddedPostgres | undefined
  private databases = 0

  /** Called in reverse order by `close`. */
  atEnd(action: () => unknown): void {
    this.undo.push(action)
  }

  /** A fresh, migrated database; the server is started once. */
  async postgres(): Promise<{ readonly sql: Sql; readonly url: string }> {
    if (this.server === undefined) {
      const server = await startEmbeddedPostgres({ dataDir: join(this.folder, 'postgres'), durable: false })
      this.server = server
      this.atEnd(() => server.stop())
    }
    const name = `test${this.databases++}`
    const admin = connectPostgres({ url: this.server.url, applicationName: 'test', maxConnections: 1 })
    await admin.unsafe(`create database ${name}`)
    await admin.end()
    const url = new URL(this.server.url)
    url.pathname = `/${name}`
    const sql = connectPostgres({ url: url.href, applicationName: 'test', maxConnections: 6 })
    this.atEnd(() => sql.end({ timeout: 1 }))
    await migratePostgres(sql)
    return { sql, url: url.href }
  }

  clickhousePath(name = 'clickhouse'): string {
    return join(this.folder, name)
  }

  /** Empty and migrated: embedded, or the servers that `TEST_CLICKHOUSE` names, as for `openStore`. */
  async clickhouse(name?: string): Promise<ClickHouse> {
    const onServers = process.env.TEST_CLICKHOUSE !== undefined
    const clickhouse = onServers
      ? await openStore({ teardown: (end) => this.atEnd(end) })
      : await openEmbeddedClickHouse({ path: this.clickhousePath(name), readers: 1 })
    if (!onServers) this.atEnd(() => clickhouse.close())
    await migrateClickHouse(clickhouse)
    return clickhouse
  }

  async close(): Promise<void> {
    for (const action of this.undo.reverse()) await action()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
