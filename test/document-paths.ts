import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../runtime/package-root.js'
import { script } from './support/scripts.js'

const { rootFolders } = await script<{ rootFolders(): string[] }>('folders.mjs')
const root = packageRoot()
const folders = [...rootFolders(), 'docs', 'examples', 'scripts', 'deploy', 'k6', 'packages']
const FOLDERS = folders.join('|')
const PATH = new RegExp(`\`((?:${FOLDERS})/[\\w./-]*)\``, 'g')
/** A file without its folder, such as `worker.ts`. */
const NAME = /`([\w-]+\.(?:ts|tsx|mjs))`/g
const LINK = /\]\((?!https?:)([^)#\s]+)[^)]*\)/g

const documents = [
  ...readdirSync(root).filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md'),
  ...['docs', 'examples', 'k6', 'relay'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md') && !file.includes('node_modules'))
      .map((file) => join(folder, file)),
  ),
]

const names = new Set(
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => basename(file)),
  ),
)

/** Links, relative to the document, and paths of the repository that a text names and that do not exist. */
function missingIn(document: string, text: string): string[] {
  const links = [...text.matchAll(LINK)].map(([, path = '']) => join(dirname(document), path))
  const paths = [...text.matchAll(PATH)].map(([, path = '']) => path)
  const named = [...text.matchAll(NAME)].map(([, name = '']) => name)
  return [
    ...[...links, ...paths].filter((path) => !existsSync(join(root, path))),
    ...named.filter((name) => !names.has(name)),
  ]
}

t.test('links and paths in documents lead somewhere', async (t) => {
  t.ok(documents.length > 40, `${documents.length} documents`)
  for (const document of documents)
    t.same(missingIn(document, readFileSync(join(root, document), 'utf8')), [], document)
})

t.test('a stale path and a broken link are found', async (t) => {
  t.same(
    missingIn(
      'docs/a.md',
      'see `management/gone.ts` and [more](gone.md), `domain/event.ts`, `event.ts`, `no.ts`',
    ),
    ['docs/gone.md', 'management/gone.ts', 'no.ts'],
  )
})
