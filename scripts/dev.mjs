#!/usr/bin/env node
// `npm run dev`: the compiler watches the sources and prints type errors, and the service restarts whenever a
// file was compiled. SIGINT ends both.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { ROOT } from './folders.mjs'

/** The compiler writes the files of one change one after the other. */
const SETTLE_MS = 200
process.chdir(ROOT)
const run = (...args) => spawn(process.execPath, args, { stdio: 'inherit' })
const startService = () => run('--enable-source-maps', 'dist/start/main.js')

const compiler = run('node_modules/typescript/bin/tsc', '-p', '.', '--watch', '--preserveWatchOutput')
let service = startService()
let turn = Promise.resolve()

async function stop() {
  if (service.exitCode !== null || service.signalCode !== null) return
  service.kill('SIGTERM')
  await once(service, 'exit')
}

let timer
const watching = watch('dist', { recursive: true }, (_, name) => {
  if (!name?.endsWith('.js')) return
  clearTimeout(timer)
  timer = setTimeout(() => {
    turn = turn.then(stop).then(() => {
      process.stderr.write(`dev: ${name} was compiled: starting again\n`)
      service = startService()
    })
  }, SETTLE_MS)
})

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    watching.close()
    clearTimeout(timer)
    compiler.kill()
    turn = turn.then(stop)
  })
