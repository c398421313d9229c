import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { putExperiment } from '../../../api/test/support/experiments.js'
import type { Status } from '../../../domain/lifecycle.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import { parseConfig } from '../../../runtime/config.js'
import { type RunningService, startService, temporaryDataDir } from '../../../test/support/service.js'
import { type AdminDatabase, openAdminDatabase } from '../../admin/database.js'
import { type Finished, MAIN } from './run.js'

/** A running service, its database, and a folder with `svc` in the PATH and the variables set. */
export interface Workspace {
  readonly service: RunningService
  readonly database: AdminDatabase
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  /** Runs a line of shell. */
  sh(line: string, more?: Readonly<Record<string, string>>): Promise<Finished>
  /** Makes an experiment in a status; gives its key. */
  put(status: Status, fields?: { readonly key?: string }): Promise<string>
  /** Makes a generation run in a status; gives its id. */
  putRun(status: 'succeeded' | 'failed'): Promise<string>
  stop(): Promise<void>
}

export async function startWorkspace(): Promise<Workspace> {
  const directory = temporaryDataDir()
  const folder = join(directory.path, 'work')
  const programs = join(directory.path, 'bin')
  mkdirSync(folder)
  mkdirSync(programs)
  chmodSync(MAIN, 0o755)
  symlinkSync(MAIN, join(programs, 'svc'))
  const service = await startService(join(directory.path, 'data'))
  const database = await openAdminDatabase(parseConfig({ SVC_DATA_DIR: service.dataDir }))
  const environment = {
    PATH: `${programs}:${process.env.PATH ?? ''}`,
    HOME: directory.path,
    SVC_API_URL: service.api,
    SVC_INGEST_URL: service.ingest,
    SVC_API_KEY: service.keys.apiKey,
    SVC_SERVER_KEY: service.keys.serverKey,
    npm_config_cache: join(directory.path, 'npm'),
  }
  const { workspaceId } = service.keys
  return {
    service,
    database,
    folder,
    environment,
    sh: (line, more = {}) =>
      new Promise((resolve, reject) => {
        const options = {
          cwd: folder,
          env: { ...environment, ...more },
          timeout: 600_000,
          maxBuffer: 1 << 26,
        }
        execFile('/bin/sh', ['-ec', line], options, (error, out, err) => {
          const code = error === null ? 0 : error.code
          if (typeof code === 'number') resolve({ code, out, err })
          else reject(error)
        })
      }),
    async put(status, fields = {}) {
      const key = fields.key ?? `key-${newId().slice(-12)}`
      const variants = [
        { key: 'control', displayName: 'Control', trafficSplit: 50 },
        { key: 'one-page', displayName: 'One page', trafficSplit: 50 },
      ]
      await putExperiment(
        { sql: database.sql, clock: { now: Date.now } } as never,
        { id: workspaceId },
        status,
        {
          key,
          name: 'Shorter checkout',
          variants,
        },
      )
      return key
    },
    async putRun(status) {
      const id = newId()
      const error = status === 'failed' ? { step: 'propose', message: 'the model did not answer' } : null
      const at = new Date()
      await database.sql`
        insert into generation_runs (id, workspace_id, status, requested, generated, survived, dropped, error, created_at, started_at, finished_at)
        values (${id}, ${workspaceId}, ${status}, 5, 7, 5, ${database.sql.json([])}, ${error === null ? null : database.sql.json(error)}, ${at}, ${at}, ${at})`
      return id
    },
    async stop() {
      await database.close()
      await service.stop()
      directory.remove()
    },
  }
}
