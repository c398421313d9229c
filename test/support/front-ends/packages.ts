import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { FETCHED, fetchPackage } from '../../../variants/test/support/real-files.js'
import { commitAll } from './journey.js'

const run = promisify(execFile)

/** A published code base of another author, and its path in the published package. */
export interface CodeBase {
  readonly package: string
  readonly folder: string
  /** Scripts of its own package.json; undefined if it is served without a build. */
  readonly scripts?: readonly string[]
}

/**
 * A repository of a code base in a folder, with what its own package.json asks for installed; or why there is
 * none.
 */
export async function unpack(
  { package: name, folder, scripts = [] }: CodeBase,
  path: string,
): Promise<{ build(): Promise<void> } | { unreachable: string }> {
  const content = await fetchPackage(name)
  if (typeof content !== 'string') return content
  await cp(join(content, folder), path, { recursive: true })
  await rename(join(path, '_gitignore'), join(path, '.gitignore')).catch(() => undefined)
  commitAll(path)
  if (scripts.length === 0) return { build: () => Promise.resolve() }
  const modules = await installModules(path)
  if (typeof modules !== 'string') return modules
  await symlink(modules, join(path, 'node_modules'))
  return {
    build: async () => {
      for (const script of scripts) await npm(['run', script], path)
    },
  }
}

/**
 * Installs what a package.json asks for, once a machine; scripts of packages are not run. Gives the folder of
 * modules.
 */
export async function installModules(path: string): Promise<string | { unreachable: string }> {
  const wanted = await readFile(join(path, 'package.json'), 'utf8')
  const place = join(FETCHED, `modules-${createHash('sha256').update(wanted).digest('hex').slice(0, 16)}`)
  const modules = join(place, 'node_modules')
  const isThere = await readFile(join(modules, '.package-lock.json')).then(
    () => true,
    () => false,
  )
  if (isThere) return modules
  const partial = `${place}.${process.pid}`
  try {
    await mkdir(partial, { recursive: true })
    await writeFile(join(partial, 'package.json'), wanted)
    await npm(['install', '--ignore-scripts', '--no-audit', '--no-fund'], partial)
    await rename(partial, place).catch(() => undefined)
    return modules
  } catch (error) {
    return { unreachable: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) }
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}

export async function npm(args: readonly string[], cwd: string): Promise<void> {
  try {
    await run('npm', [...args], { cwd, timeout: 240_000, maxBuffer: 64 * 1024 * 1024 })
  } catch (error) {
    const said = error as { readonly stdout?: string; readonly stderr?: string; readonly message: string }
    throw new Error(`npm ${args.join(' ')}: ${said.stdout ?? ''}${said.stderr ?? said.message}`)
  }
}
