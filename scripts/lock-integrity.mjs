#!/usr/bin/env node
// Asks the registry for the hashes that package-lock.json lacks: npm records none for optional packages of
// other systems. Prints the packages whose hash the registry does not know.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
for (const [path, entry] of Object.entries(lock.packages)) {
  if (!path.startsWith('node_modules/') || entry.link || entry.integrity) continue
  const name = `${path.split('node_modules/').at(-1)}@${entry.version}`
  const integrity = integrityOf(name)
  if (integrity === '') process.stdout.write(`the registry has no hash of ${name}\n`)
  else lock.packages[path] = { version: entry.version, integrity, ...entry }
}
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)

function integrityOf(name) {
  try {
    return execFileSync('npm', ['view', name, 'dist.integrity'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    // The registry does not have this version.
    return ''
  }
}
