import { execFile } from 'node:child_process'
import { mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { installModules } from '../front-ends/packages.js'
import { installPythonPackages, type Unreachable } from '../python-packages.js'

const run = promisify(execFile)
const PATIENCE_MS = 400_000

/** A published client: its package and a program that tracks `count` events, one for each user `u<n>`. */
export interface ForeignClient {
  readonly name: string
  /** Tracks the events of its name to the address with the key, and ends when the client has sent them. */
  track(sender: { readonly address: string; readonly key: string; readonly count: number }): Promise<void>
}

/** Each reads `address`, `key`, `count` and `name`, and calls `fail` if the client gives events up. */
const NODE_PROGRAMS: Readonly<Record<string, string>> = {
  '@segment/analytics-node@3.1.0': `
    import { Analytics } from '@segment/analytics-node'
    const client = new Analytics({ writeKey: key, host: address, maxEventsInBatch: 250, httpRequestTimeout: 60_000 })
    client.on('error', fail)
    for (let n = 0; n < count; n++) client.track({ userId: 'u' + n, event: name, properties: { n } })
    await client.closeAndFlush({ timeout: 120_000 })`,
  '@rudderstack/rudder-sdk-node@3.0.13': `
    import Client from '@rudderstack/rudder-sdk-node'
    const client = new Client(key, { dataPlaneUrl: address, flushAt: 250, errorHandler: fail, logLevel: 'none' })
    for (let n = 0; n < count; n++) {
      client.track({ userId: 'u' + n, event: name, properties: { n } })
      if (n % 250 === 249) await client.flush()
    }
    await client.flush()`,
  'posthog-node@5.70.0': `
    import { PostHog } from 'posthog-node'
    const client = new PostHog(key, { host: address, flushAt: 250, maxQueueSize: count, fetchRetryDelay: 100 })
    client.on('error', fail)
    for (let n = 0; n < count; n++) {
      client.capture({ distinctId: 'u' + n, event: name, properties: { n } })
      if (n % 250 === 249) await client.flush()
    }
    await client.shutdown(60_000)`,
}

const PYTHON_PROGRAMS: Readonly<Record<string, string>> = {
  'segment-analytics-python==2.4.0': `
from segment.analytics.client import Client
client = Client(key, host=address, max_queue_size=count, upload_size=250, gzip=True, on_error=fail)
for n in range(count):
    client.track('u%d' % n, name, {'n': n})
client.shutdown()`,
  'posthog==7.91.1': `
from posthog import Posthog
client = Posthog(key, host=address, max_queue_size=count, flush_at=250, gzip=True, on_error=fail)
for n in range(count):
    client.capture(name, distinct_id='u%d' % n, properties={'n': n})
client.flush()
client.shutdown()`,
}

/** Segment's, RudderStack's and PostHog's clients for Node, or why they cannot be had. */
export async function nodeClients(): Promise<readonly ForeignClient[] | Unreachable> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-clients-'))
  const packages = Object.keys(NODE_PROGRAMS).map((name) => {
    const at = name.lastIndexOf('@')
    return [name.slice(0, at), name.slice(at + 1)] as const
  })
  const dependencies = Object.fromEntries(packages)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  const modules = await installModules(folder)
  if (typeof modules !== 'string') return modules
  await symlink(modules, join(folder, 'node_modules'))
  const clients = Object.entries(NODE_PROGRAMS).map(async ([name, program], index) => {
    const file = join(folder, `client-${index}.mjs`)
    await writeFile(
      file,
      `const [address, key, name, digits] = process.argv.slice(2)
      const count = Number(digits)
      const fail = (error) => { console.error(error); process.exitCode = 1 }
      ${program}`,
    )
    return clientOf(name, (args) => run(process.execPath, [file, ...args], { timeout: PATIENCE_MS }))
  })
  return Promise.all(clients)
}

/** Segment's and PostHog's clients for Python, or why they cannot be had. */
export async function pythonClients(): Promise<readonly ForeignClient[] | Unreachable> {
  const installed = await installPythonPackages(Object.keys(PYTHON_PROGRAMS))
  if ('unreachable' in installed) return installed
  const { python, folder } = installed
  const start = `import os, sys
address, key, name, digits = sys.argv[1:]
count = int(digits)
def fail(*errors):
    print('the client lost events:', errors, file=sys.stderr)
    os._exit(1)
`
  return Object.entries(PYTHON_PROGRAMS).map(([name, program]) =>
    clientOf(name, (args) =>
      run(python, ['-c', start + program, ...args], {
        timeout: PATIENCE_MS,
        env: { ...process.env, PYTHONPATH: folder },
      }),
    ),
  )
}

function clientOf(name: string, start: (args: readonly string[]) => Promise<unknown>): ForeignClient {
  return {
    name,
    track: async ({ address, key, count }) => {
      await start([address, key, eventNameOf(name), String(count)])
    },
  }
}

/** The name of a client's events; svc keeps it as it is. */
export function eventNameOf(client: string): string {
  return `by_${client.replace(/[^a-z0-9]+/g, '_')}`
}
