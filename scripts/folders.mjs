// The root folders of code are listed in `include` of tsconfig.json and nowhere else; everything else asks
// here. `test/folders.ts` checks the lists that tools need for themselves (the image, the import rules).
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')

/** The root folders that the compiler reads, in its order. */
export function rootFolders() {
  const { include } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8'))
  return [...new Set(include.map((pattern) => pattern.split('/')[0]))]
}

/** Files in a folder called `test` that are not tests. */
const HELPERS = /\/test\/(?:.*\/)?(?:support|suites|fixtures)\//
/**
 * The root folder `test/` has tests in `test/*.ts`, `test/e2e/` and its subfolders, `test/long/`, and the
 * `test/` folders below it.
 */
const AT_ROOT = /^test\/(?:e2e\/(?:[^/]+\/)?|long\/)?[^/]+\.ts$/

export const isTest = (file) =>
  file.endsWith('.ts') &&
  !file.endsWith('.d.ts') &&
  !HELPERS.test(`/${file}`) &&
  (AT_ROOT.test(file) || file.slice(1).includes('/test/'))

/** All test files, as source paths from the root, sorted. */
export function testFiles() {
  return rootFolders()
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true }).map((file) => `${folder}/${file}`),
    )
    .filter(isTest)
    .sort()
}

export const compiled = (file) => join('dist', file.replace(/\.ts$/, '.js'))
