import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { svc } from '../../../cli/test/support/run.js'
import { packageRoot } from '../../../runtime/package-root.js'
import {
  call,
  countOf,
  type RunningService,
  startService,
  temporaryDataDir,
  until,
} from '../../support/service.js'

const FIXTURES = join(packageRoot(), 'test', 'fixtures')
/** Events that the earlier version accepted and had not stored when it ended. */
const PENDING = { name: 'upgrade_checked', events: 1_200 } as const
/** Settings with which each version ran. */
const SETTINGS: Readonly<Record<string, Record<string, string>>> = { 'data-0.1': { SVC_SETTLING_HOURS: '0' } }
const SOME_SKIPPED = '?limit=100'

const elsewhere =
  process.platform === 'linux' && process.arch === 'x64'
    ? false
    : 'optional: the kept Postgres cluster is one of Linux on x64'

for (const version of readdirSync(FIXTURES).filter((name) => name.startsWith('data-')))
  t.test(
    `${version} opens, with every count and answer as before`,
    { timeout: 600_000, skip: elsewhere },
    async (t) => {
      const data = temporaryDataDir()
      t.teardown(() => data.remove())
      unpack(join(FIXTURES, version, 'data.tar.br'), data.path)
      const service = await startService(data.path, { env: SETTINGS[version] ?? {} })
      try {
        const stored = () => countOf(service.api, service.keys.apiKey, PENDING.name)
        t.equal(await until(stored, (count) => count >= PENDING.events, 60), PENDING.events)
        await compareAnswers(t, service, join(FIXTURES, version, 'answers.json.br'))
        t.equal(await stored(), PENDING.events, 'nothing was stored twice')
      } finally {
        t.equal(await service.stop(), 0)
      }
    },
  )

async function compareAnswers(t: Test, service: RunningService, file: string): Promise<void> {
  const answers = JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as Record<string, unknown>
  for (const [request, before] of Object.entries(answers)) {
    const [method = '', path = '', ...rest] = request.split(' ')
    if (method === 'svc') {
      const { out } = await svc([path, ...rest], { SVC_DATA_DIR: service.dataDir })
      t.same(differences(before, JSON.parse(out), path), [], request)
      continue
    }
    const key = path.startsWith('/audit') ? service.keys.sessionToken : service.keys.apiKey
    const body = rest.length > 0 ? JSON.parse(rest.join(' ')) : undefined
    const now = await call<unknown>(key, method, `${service.api}/v1${pastPending(path)}`, body)
    t.same(differences(before, now.body, path), [], request)
  }
}

/** Lists of events begin with the pending ones, in either order. */
function pastPending(path: string): string {
  if (!path.startsWith('/events')) return path
  return path === `/events${SOME_SKIPPED}`
    ? `${path}&offset=${PENDING.events}`
    : path.replace(/offset=(\d+)/, (_, offset) => `offset=${Number(offset) + PENDING.events}`)
}

/**
 * Measures of the query itself, texts, what time changes, and the result of checks that are compared one by
 * one.
 */
const FREE =
  /(\/readiness\/checks\/\d+\/message|\/results\/reason|\/readiness\/canStart|\/plan\/files\/\d+\/summary|\/dataQuality\/lagSeconds|\/query\/(elapsedMs|rowsRead)|\/asOf|\/trend\/\d+\/complete)$/
/** Figures that an earlier version may not have measured. */
const MEASURED = /\/(measurements|results)$/
const RAISED = /^\/(?:funnel\/)?events[^/]*\/pagination\/(total|offset|hasMore)$/

/**
 * Paths at which an answer differs from the earlier one. Added fields and new rows of the vocabulary are no
 * differences.
 */
function differences(before: unknown, now: unknown, at: string): string[] {
  if (FREE.test(at) || RAISED.test(at) || (before === null && MEASURED.test(at))) return []
  if (Array.isArray(before)) {
    const rows: readonly unknown[] = Array.isArray(now) ? now : []
    const same = rows.filter((row) => !isNew(row, at, before))
    if (same.length !== before.length) return [`${at}: ${before.length} rows are ${same.length}`]
    return before.flatMap((row, index) => differences(row, same[index], `${at}/${index}`))
  }
  if (typeof before === 'object' && before !== null) {
    if (typeof now !== 'object' || now === null) return [`${at}: is ${JSON.stringify(now)}`]
    const fields = now as Record<string, unknown>
    return Object.entries(before).flatMap(([name, value]) =>
      name in fields ? differences(value, fields[name], `${at}/${name}`) : [`${at}/${name}: is gone`],
    )
  }
  return Object.is(before, now) ? [] : [`${at}: ${JSON.stringify(before)} is ${JSON.stringify(now)}`]
}

/** A row that the earlier version did not have: the name of the pending events, or a check of readiness. */
function isNew(row: unknown, at: string, before: readonly unknown[]): boolean {
  if (at.startsWith('/funnel/events')) return isPending(row)
  return at.endsWith('/readiness/checks') && !before.some((check) => codeOf(check) === codeOf(row))
}

function codeOf(check: unknown): unknown {
  return typeof check === 'object' && check !== null && 'code' in check ? check.code : undefined
}

function isPending(row: unknown): boolean {
  return typeof row === 'object' && row !== null && 'eventName' in row && row.eventName === PENDING.name
}

function unpack(archive: string, folder: string): void {
  mkdirSync(folder, { recursive: true })
  const tar = spawnSync('tar', ['-x', '-C', folder], { input: brotliDecompressSync(readFileSync(archive)) })
  if (tar.status !== 0) throw new Error(`tar: ${tar.stderr.toString()}`)
}
