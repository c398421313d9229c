import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { FETCHED } from '../../variants/test/support/real-files.js'
import { executablePath } from './executable.js'

const run = promisify(execFile)

export type Unreachable = { readonly unreachable: string }

/** Python, and the folder of packages for its `PYTHONPATH`, whose programs are in `bin`. */
export interface PythonPackages {
  readonly python: string
  readonly folder: string
}

/** Installs packages of PyPI once a machine, or gives the reason why they cannot be had. */
export async function installPythonPackages(
  packages: readonly string[],
): Promise<PythonPackages | Unreachable> {
  const python = executablePath(['python3'])
  if (python === undefined) return { unreachable: 'no python3' }
  const digest = createHash('sha256').update(packages.join()).digest('hex').slice(0, 16)
  const folder = join(FETCHED, `python-${digest}`)
  const isThere = await access(folder).then(
    () => true,
    () => false,
  )
  if (isThere) return { python, folder }
  const partial = `${folder}.${process.pid}`
  try {
    await mkdir(FETCHED, { recursive: true })
    await run(python, ['-m', 'pip', 'install', '--quiet', '--target', partial, ...packages], {
      timeout: 240_000,
    })
    await rename(partial, folder).catch(() => undefined)
    return { python, folder }
  } catch (error) {
    return { unreachable: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) }
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}
