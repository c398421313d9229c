import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../runtime/package-root.js'
import { script } from './support/scripts.js'

/*
 * The root folders of code are in `include` of tsconfig.json. This test checks the other files that name
 * them.
 */

const { rootFolders } = await script<{ rootFolders(): string[] }>('folders.mjs')
const folders = rootFolders()
/** Folders whose code runs without compilation. */
const UNCOMPILED = ['packages', 'scripts']
const root = packageRoot()
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

t.test('every folder with code is compiled', async (t) => {
  const hasCode = (folder: string): boolean =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).some((file) =>
      /\.tsx?$/.test(file),
    )
  const found = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .filter((name) => !['node_modules', 'dist', 'data'].includes(name))
    // A folder with a tsconfig.json is compiled by it.
    .filter((name) => folders.includes(name) || !existsSync(join(root, name, 'tsconfig.json')))
    .filter(hasCode)
  t.same(found.sort(), [...folders].sort())
})

t.test('the import rules name every folder and no others', async (t) => {
  const { forbidden } = JSON.parse(read('.dependency-cruiser.json')) as {
    forbidden: { from: Record<string, unknown>; to: Record<string, unknown> }[]
  }
  const named = new Set(
    forbidden
      .flatMap(({ from, to }) => [from.path, from.pathNot, to.path, to.pathNot])
      .flatMap((pattern) => [...String(pattern ?? '').matchAll(/\^\(?([a-z|-]+)\)?(?=\/|\$)/g)])
      .flatMap(([, names = '']) => names.split('|')),
  )
  t.same(
    [...named].filter((name) => ![...folders, ...UNCOMPILED].includes(name)),
    [],
  )
  t.same(
    folders.filter((name) => !named.has(name)),
    [],
  )
})

t.test('the image is built from existing folders', async (t) => {
  const sent = [...read('.dockerignore').matchAll(/^!([a-z-]+)$/gm)].map(([, name = '']) => name)
  t.ok(sent.length > 0)
  t.same(
    sent.filter((name) => ![...folders, ...UNCOMPILED].includes(name)),
    [],
  )
})

t.test('the search for dead code starts from existing folders', async (t) => {
  const { entry } = JSON.parse(read('knip.json')) as { entry: string[] }
  const named = entry.map((pattern) => pattern.split('/')[0] ?? '').filter((name) => /^[a-z-]+$/.test(name))
  t.same(
    named.filter((name) => ![...folders, ...UNCOMPILED].includes(name)),
    [],
  )
})
