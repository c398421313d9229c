#!/usr/bin/env node
// `npm run dev`: restarts the service whenever a source file changes. A changed file is compiled alone, in
// milliseconds; a type check runs beside it and prints its errors. SIGINT ends all of it.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const SETTLE_MS = 50
const { include, exclude, compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
const folders = include.map((pattern) => pattern.split('/')[0])
const say = (text) => process.stderr.write(`dev: ${text}\n`)

/** Compiles one file as `npm run build` would. False if it cannot be parsed as TypeScript. */
function translate(file) {
  if (exclude.some((folder) => file.startsWith(join(folder, '/')))) return buildModules()
  const compiled = join(root, compilerOptions.outDir, file.replace(/\.ts$/, '.js'))
  let source
  try {
    source = readFileSync(join(root, file), 'utf8')
  } catch {
    rmSync(compiled, { force: true })
    return true
  }
  try {
    const { code, map } = transformSync(source, {
      loader: 'ts',
      format: 'esm',
      target: compilerOptions.target,
      sourcemap: true,
      sourcefile: file,
      tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    })
    mkdirSync(dirname(compiled), { recursive: true })
    writeFileSync(
      compiled,
      `${code}//# sourceMappingURL=${file.split('/').at(-1).replace(/\.ts$/, '.js.map')}\n`,
    )
    writeFileSync(`${compiled}.map`, map)
    return true
  } catch (error) {
    say(`${file}: ${error.message}`)
    return false
  }
}

/** Builds the AssemblyScript modules. */
function buildModules() {
  const program = join(root, 'scripts', 'build-modules.mjs')
  return spawnSync(process.execPath, [program], { stdio: 'inherit' }).status === 0
}

let service
let stopping = false

function start() {
  service = spawn(process.execPath, ['--enable-source-maps', join('dist', 'start', 'main.js')], {
    cwd: root,
    stdio: 'inherit',
  })
  service.on('exit', (code) => {
    if (!stopping && !restarting) say(`the service has ended (${code}): it starts again with the next change`)
    service = undefined
  })
}

let restarting = false
async function restart() {
  const running = service
  if (running !== undefined) {
    restarting = true
    const ended = new Promise((resolve) => running.once('exit', resolve))
    running.kill('SIGTERM')
    await ended
    restarting = false
  }
  if (!stopping) start()
}

const changed = new Set()
let turn = Promise.resolve()
let timer
function note(file) {
  changed.add(file)
  clearTimeout(timer)
  timer = setTimeout(() => {
    const files = [...changed]
    changed.clear()
    turn = turn.then(async () => {
      const begun = performance.now()
      if (files.map(translate).includes(false)) return
      await restart()
      const what = files.length === 1 ? files[0] : `${files.length} files`
      say(`${what} changed: started again after ${Math.round(performance.now() - begun)} ms`)
    })
  }, SETTLE_MS)
}

for (const folder of folders.filter((name) => readdirSync(root).includes(name)))
  watch(join(root, folder), { recursive: true }, (_, name) => {
    if (name !== null && /\.ts$/.test(name) && !name.endsWith('.d.ts')) note(join(folder, name))
  })

const types = spawn(
  process.execPath,
  [
    join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
    '-p',
    root,
    '--noEmit',
    '--watch',
    '--preserveWatchOutput',
  ],
  { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
)
// The type check must not delay the service.
if (types.pid !== undefined) setPriority(types.pid, constants.priority.PRIORITY_LOW)

async function end() {
  if (stopping) return
  stopping = true
  types.kill()
  const running = service
  if (running === undefined) process.exit(0)
  running.once('exit', (code) => process.exit(code ?? 1))
  running.kill('SIGTERM')
}
process.on('SIGINT', end)
process.on('SIGTERM', end)
start()
