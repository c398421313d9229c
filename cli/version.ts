import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../runtime/package-root.js'

/** Of the package that this file belongs to: the checkout's, or that of the one-file client. */
export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    version: string
  }
  return version
}
