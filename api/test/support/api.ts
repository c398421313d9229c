import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedClickHouse } from '../../../clickhouse/embedded/open.js'
import { migrateClickHouse } from '../../../clickhouse/migrate.js'
import type { ClickHouse } from '../../../clickhouse/port.js'
import { SCOPES, type Scope } from '../../../domain/key.js'
import type { Sql } from '../../../postgres/driver/client.js'
import { createKey } from '../../../postgres/tables/keys.js'
import { createSession } from '../../../postgres/tables/sessions.js'
import { createPerson, createWorkspace, newId } from '../../../postgres/tables/workspaces.js'
import { withDatabase } from '../../../postgres/test/support/database.js'
import type { Stage } from '../../../runtime/stage.js'
import { queryThreads } from '../../../runtime/thread-pool-config.js'
import { type ContractClient, createContractClient, send } from './client.js'
import { startStage } from './stage.js'

export interface TestApi {
  readonly sql: Sql
  readonly postgresUrl: string
  readonly clickhouse: ClickHouse
  readonly clickhousePath: string
  readonly secretKey: Uint8Array
  readonly stage: Stage
  readonly url: string
  readonly client: ContractClient
  readonly openapi: unknown
  /** The service's clock; tests may move it. */
  readonly clock: { now: () => number }
  workspace(name?: string): Promise<TestWorkspace>
}

export interface TestWorkspace {
  readonly id: string
  readonly name: string
  readonly ownerId: string
  /** Has all four scopes. */
  readonly key: string
  readonly keyId: string
  readonly readOnlyKey: string
  readonly serverKey: string
  readonly publishableKey: string
  /** The owner's session. */
  readonly session: string
  /** Another session of the owner. */
  openSession(): Promise<{ id: string; token: string }>
  keyWith(scopes: readonly Scope[], personId?: string): Promise<{ id: string; key: string }>
  person(permissions: readonly Scope[]): Promise<{ id: string; session: string }>
}

interface Test {
  teardown(fn: () => unknown): unknown
}

/** The management API over real stores in temporary folders, removed when the test ends. */
export async function withApi(t: Test): Promise<TestApi> {
  const { sql, url: postgresUrl } = await withDatabase(t)
  const folder = mkdtempSync(join(tmpdir(), 'svc-api-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const clickhousePath = join(folder, 'clickhouse')
  const clickhouse = await openEmbeddedClickHouse({ path: clickhousePath, readers: queryThreads() })
  t.teardown(() => clickhouse.close())
  await migrateClickHouse(clickhouse)
  const secretKey = Buffer.alloc(32, 7)
  const clock = { now: () => Date.now() }
  const stage = await startStage({ sql, clickhouse, secretKey }, { now: () => clock.now() })
  t.teardown(() => stage.stop())
  const url = stage.url ?? ''
  const openapi = (await send(url, 'GET', '/reference/openapi.json')).body
  return {
    sql,
    postgresUrl,
    clickhouse,
    clickhousePath,
    secretKey,
    stage,
    url,
    client: createContractClient(openapi, url),
    openapi,
    clock,
    workspace: (name = 'Test') => makeWorkspace(sql, secretKey, name),
  }
}

let people = 0

/** Created in Postgres, as `svc admin` does. */
export async function makeWorkspace(sql: Sql, secretKey: Uint8Array, name: string): Promise<TestWorkspace> {
  const now = new Date()
  const { id, personId } = await createWorkspace(sql, {
    id: newId(),
    name,
    personId: newId(),
    ownerName: `Owner of ${name}`,
    ownerEmail: 'owner@example.com',
    now,
  })
  const make = (type: 'api' | 'server' | 'publishable', scopes: readonly Scope[], person?: string) =>
    createKey(sql, secretKey, {
      id: newId(),
      workspaceId: id,
      personId: person,
      type,
      name: `${type} key`,
      scopes,
      now,
    })
  const session = (person?: string) =>
    createSession(sql, secretKey, {
      id: newId(),
      workspaceId: id,
      personId: person,
      expiresAt: new Date(Date.now() + 3_600_000),
      now,
    })
  const full = await make('api', SCOPES)
  return {
    id,
    name,
    ownerId: personId,
    key: full.key,
    keyId: full.id,
    readOnlyKey: (await make('api', [])).key,
    serverKey: (await make('server', [])).key,
    publishableKey: (await make('publishable', [])).key,
    session: (await session()).token,
    openSession: () => session(),
    keyWith: (scopes, person) => make('api', scopes, person),
    async person(permissions) {
      const created = await createPerson(sql, {
        id: newId(),
        workspaceId: id,
        name: 'Somebody',
        email: `person-${++people}@example.com`,
        permissions,
        now,
      })
      return { id: created.id, session: (await session(created.id)).token }
    },
  }
}
