import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { batchOf } from '../../../generators/batch.js'
import type { Repository, Request } from '../../../generators/port.js'
import { ruleGenerator } from '../../../generators/rules/rule-generator.js'
import { thinkOfBatch } from '../../../management/proposals/generating/think.js'
import { codeAtHead } from '../../../management/proposals/repository-code.js'
import type { RepositoryRow } from '../../../postgres/tables/repositories.js'
import { localHost } from '../../../repositories/local/host.js'
import { type Figure, percentile } from '../../support/figures.js'
import { seededRandom } from '../../support/random.js'

const NOTHING_KNOWN: Omit<Request, 'repository' | 'count'> = {
  vocabulary: [{ eventName: 'signup_completed', count: 1_000 }],
  notes: [],
  dismissals: [],
  lessons: [],
  inFlight: [],
  focus: null,
  locale: null,
}

/**
 * Batches of proposals on generated repositories with the file mix of a large site. CPU seconds, and peak
 * memory beyond the start.
 */
export async function generatorsCase(scale: number): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const files of [5_000, 50_000]) {
    const count = Math.max(100, Math.round(files * scale))
    const repository = repositoryOf(count)
    const first = await measured(repository)
    figures.push(
      { name: `${count} files`, value: first.cpu, unit: 'CPU s' },
      { name: `${count} files, memory`, value: first.bytes / 1_048_576, unit: 'MiB' },
      { name: `${count} files, proposals`, value: first.proposals, unit: '' },
    )
  }
  return [...figures, ...(await fromGit(Math.max(100, Math.round(5_000 * scale))))]
}

/**
 * The same as in the service: listed and read by git, on the worker thread, with the latency of other
 * requests meanwhile. Clock seconds.
 */
async function fromGit(count: number): Promise<Figure[]> {
  const path = mkdtempSync(join(tmpdir(), 'svc-bench-generators-'))
  const host = localHost({ path, branch: 'main' })
  const figures: Figure[] = []
  try {
    makeRepository(path, count)
    const settings: RepositoryRow = {
      workspaceId: '',
      id: '',
      kind: 'local',
      location: path,
      baseUrl: null,
      branch: 'main',
      allow: [],
      helper: null,
      exposures: '/_svc/exposures',
      sealedToken: null,
      sealedWebhookSecret: null,
    }
    const quiet = await waitingBeside(() => sleep(2_000))
    for (const what of ['', ', once more']) {
      const { signal } = new AbortController()
      let listed = 0
      const started = performance.now()
      const waiting = await waitingBeside(async () => {
        const { files, rules } = await codeAtHead({ host, settings }, signal)
        listed = performance.now()
        const request = { ...NOTHING_KNOWN, count: 20 }
        await thinkOfBatch(
          { kind: 'batch', generator: { kind: 'rules' }, rules, request },
          { host, files, signal, attempt: 1, onStep: () => {} },
        )
      })
      const ended = performance.now()
      figures.push(
        { name: `${count} files of git listed${what}`, value: (listed - started) / 1000, unit: 's' },
        {
          name: `${count} files of git read and thought of${what}`,
          value: (ended - listed) / 1000,
          unit: 's',
        },
        {
          name: `p99 of waiting for an answer beside it${what}`,
          value: waiting,
          unit: 'ms',
          ratio: waiting / quiet,
          ratioTo: 'nothing beside it',
        },
      )
    }
  } finally {
    await host.close()
    rmSync(path, { recursive: true, force: true, maxRetries: 5 })
  }
  return figures
}

/** The p99 latency in milliseconds of HTTP requests to this process during the work. */
async function waitingBeside(work: () => Promise<void>): Promise<number> {
  const server = createServer((_request, response) => response.end('{"status":"running"}'))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}/`
  const times: number[] = []
  let isDone = false
  const asking = (async () => {
    while (!isDone) {
      const started = performance.now()
      await (await fetch(url)).text()
      times.push(performance.now() - started)
      await sleep(5)
    }
  })()
  try {
    await work()
  } finally {
    isDone = true
    await asking
    server.close()
  }
  return percentile(times, 0.99)
}

function makeRepository(path: string, count: number): void {
  const git = (args: readonly string[], input = ''): void => {
    execFileSync('git', args, { cwd: path, input, stdio: ['pipe', 'ignore', 'ignore'] })
  }
  git(['init', '--quiet', '--initial-branch', 'main'])
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`
  const files = Array.from(
    { length: count },
    (_, number) => `M 100644 inline ${pathOf(number)}\n${data(textOf(number))}`,
  )
  const head = `commit refs/heads/main\ncommitter Bench <bench@localhost> 0 +0000\n${data('All of it')}`
  git(['fast-import', '--quiet'], head + files.join(''))
}

async function measured(repository: Repository): Promise<{ cpu: number; bytes: number; proposals: number }> {
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 50)
  const started = process.cpuUsage()
  const request: Request = { ...NOTHING_KNOWN, repository, count: 20 }
  const { proposals } = await batchOf(ruleGenerator(), request, { mayChange: () => true })
  clearInterval(watch)
  const { user, system } = process.cpuUsage(started)
  return {
    cpu: (user + system) / 1e6,
    bytes: Math.max(most, process.memoryUsage.rss()) - before,
    proposals: proposals.length,
  }
}

/** Per hundred files: 45 components, 5 HTML pages, 5 Vue, 30 of code alone, 10 of styles, 5 of data. */
function repositoryOf(files: number): Repository {
  const read = async (path: string): Promise<string | null> => {
    const number = Number(/-(\d+)\./.exec(path)?.[1] ?? -1)
    return number < 0 ? null : textOf(number)
  }
  return {
    read,
    async *files(isWanted = () => true) {
      for (let number = 0; number < files; number++) {
        const file = { path: pathOf(number), blobId: `blob-${number}` }
        yield { ...file, text: isWanted(file) ? textOf(number) : null }
      }
    },
  }
}

function pathOf(number: number): string {
  const name = `Part-${number}`
  const kind = number % 100
  if (kind < 45) return `src/components/${number % 50}/${name}.tsx`
  if (kind < 50) return `public/${name}.html`
  if (kind < 55) return `src/views/${name}.vue`
  if (kind < 85) return `src/lib/${number % 50}/${name}.ts`
  return kind < 95 ? `src/styles/${name}.css` : `data/${name}.json`
}

function textOf(number: number): string {
  const random = seededRandom(number)
  const pick = (most: number): number => Math.floor(random() * most)
  const kind = number % 100
  const name = `Part-${number}`
  const code = Array.from(
    { length: 20 + pick(60) },
    (_, line) =>
      `  const value${line} = compute(props.items[${pick(99)}], ${pick(999)}, 'state-${pick(99)}')`,
  ).join('\n')
  const items = Array.from(
    { length: 4 + pick(12) },
    (_, item) =>
      `<div className="card card-${pick(9)}"><h3>Card ${item} of ${name}</h3><p>Words about it, ${pick(99)} of them</p><a href="/to/${pick(99)}">Go on</a></div>`,
  ).join('\n      ')
  const form =
    pick(20) === 0
      ? `<form><input type="email" name="email" /><input type="password" name="p" /><input type="password" name="q" /><button>Submit</button></form>`
      : ''
  const body = `<section><h2>The heading of ${name}</h2>\n      ${items}\n      ${form}</section>`
  const html = body.replaceAll('className', 'class')
  if (kind < 45) return `export function Part(props) {\n${code}\n  return (\n    ${body}\n  )\n}\n`
  if (kind < 50) return `<!doctype html>\n<html lang="en"><body>${html}</body></html>\n`
  if (kind < 55) return `<template>\n  <div>${html}</div>\n</template>\n<script setup>\n${code}\n</script>\n`
  if (kind < 85) return `export function run(props) {\n${code}\n}\n`
  if (kind < 95) return `.a { color: red }\n`.repeat(100)
  return JSON.stringify({ name, values: [1, 2, 3] })
}
