#!/usr/bin/env node
// Compares npm's uWebSockets.js with upstream's tag of the same version, byte by byte. Run it before pinning
// another version in package.json.
//
// node scripts/compare-uws.mjs [ARCHIVE] upstream's tag as a .tar.gz, if you have it
//
// Exit code 0: equal; 1: something differs; 2: upstream cannot be reached, so the result is unknown.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const NAME = '@btc-vision/uwebsockets.js'
/** Names the package, which upstream does differently. */
const ITS_OWN = new Set(['package.json'])
const installed = dirname(createRequire(import.meta.url).resolve(NAME))
const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
const url = `https://github.com/uNetworking/uWebSockets.js/archive/refs/tags/v${version}.tar.gz`

const folder = mkdtempSync(join(tmpdir(), 'svc-uws-'))
try {
  process.exitCode = await compare()
} finally {
  rmSync(folder, { recursive: true })
}

async function compare() {
  const archive = process.argv[2] ?? (await download())
  if (archive === undefined) return 2
  const { status, stderr } = spawnSync('tar', ['-xzf', archive, '--strip-components=1', '-C', folder], {
    encoding: 'utf8',
  })
  if (status !== 0) {
    process.stderr.write(`${archive} cannot be unpacked: ${stderr}`)
    return 2
  }
  const upstream = hashes(folder)
  let differing = 0
  for (const [file, hash] of hashes(installed)) {
    if (ITS_OWN.has(file) || upstream.get(file) === hash) continue
    differing++
    process.stdout.write(`${file}: ${upstream.has(file) ? 'differs from upstream' : 'upstream has none'}\n`)
  }
  process.stdout.write(
    differing === 0
      ? `${NAME} ${version} has upstream's files\n`
      : `${NAME} ${version}: ${differing} files are not upstream's\n`,
  )
  return differing === 0 ? 0 : 1
}

async function download() {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(120_000) })
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    const archive = join(folder, 'upstream.tar.gz')
    writeFileSync(archive, Buffer.from(await answer.arrayBuffer()))
    return archive
  } catch (error) {
    const reason = error.cause?.message ?? error.message
    process.stderr.write(`${url} cannot be reached from here (${reason}): nothing was compared\n`)
    return undefined
  }
}

/** SHA-256 by file name. */
function hashes(of) {
  return new Map(
    readdirSync(of, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(of, name)))
          .digest('hex'),
      ]),
  )
}
