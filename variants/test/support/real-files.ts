import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Real code bases by package. Versions are fixed, so that failures can be repeated. */
export const PACKAGES: readonly { name: string; folder: string; ending: RegExp }[] = [
  { name: 'create-vite@9.3.0', folder: '.', ending: /\.(jsx|tsx|vue|svelte|html|ts|js)$/ },
  { name: 'create-vue@3.22.3', folder: 'template', ending: /\.(vue|ts|js)$/ },
  { name: 'startbootstrap-sb-admin-2@4.1.4', folder: '.', ending: /^[^/]*\.html$/ },
  { name: 'gentelella@4.2.0', folder: 'production', ending: /\.html$/ },
  { name: 'flowbite-svelte-admin-dashboard@2.1.1', folder: 'dist', ending: /\.svelte$/ },
  { name: '@codegouvfr/react-dsfr@1.33.0', folder: 'src', ending: /\.tsx$/ },
]

export interface RealFile {
  path: string
  text: string
}

/** The files of a package, or the reason why there are none. */
export async function filesOf(
  name: string,
  folder: string,
  ending: RegExp,
): Promise<RealFile[] | { unreachable: string }> {
  const place = await fetchPackage(name)
  if (typeof place !== 'string') return place
  const root = join(place, folder)
  const paths = await readdir(root, { recursive: true })
  const chosen = paths
    .filter((path) => ending.test(path) && !/(^|\/)(node_modules|vendor)\//.test(path))
    .sort()
  return Promise.all(chosen.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })))
}

/** Downloads are kept here for later runs. */
export const FETCHED = join(tmpdir(), 'svc-front-ends')

/** The folder of a package's published content, or the reason why there is none. */
export async function fetchPackage(name: string): Promise<string | { unreachable: string }> {
  const place = join(FETCHED, name.replaceAll('/', '+'))
  const content = join(place, 'package')
  if (existsSync(content)) return content
  const partial = `${place}.${process.pid}`
  try {
    await mkdir(partial, { recursive: true })
    const { stdout } = await run(
      'npm',
      ['pack', name, '--silent', '--ignore-scripts', '--pack-destination', partial],
      {
        timeout: 60_000,
      },
    )
    await run('tar', ['-xzf', join(partial, stdout.trim().split('\n').at(-1) ?? ''), '-C', partial])
    await rename(partial, place).catch(() => undefined)
    return content
  } catch (error) {
    return { unreachable: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) }
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}

/** Visible texts, found without a parser: between tags, in attributes, and whole strings of code. */
export function findsIn({ path, text }: RealFile): string[] {
  const found: string[] = []
  for (const [, own] of text.matchAll(/>\s*([^<>{}"'`]{3,80}?)\s*</g)) if (own !== undefined) found.push(own)
  for (const [, own] of text.matchAll(
    /\b(?:alt|title|placeholder|aria-label|href|class)=("[^"{}<>]{3,60}")/g,
  ))
    if (own !== undefined) found.push(own)
  for (const [own] of text.matchAll(/<(h[1-6]|p|span|li|button|td|a|label)\b[^<>]*>[^<>]*<\/\1>/g))
    found.push(own)
  if (/\.[jt]sx?$|\.(vue|svelte)$/.test(path))
    for (const [own] of text.matchAll(/'[A-Za-z][^'\\\n]{2,60}'/g)) found.push(own)
  return [...new Set(found)].filter((own) => text.indexOf(own) === text.lastIndexOf(own))
}

/** Another text for the same place: changes the content of quotes and tags. */
export function otherFor(find: string, mark: string): string {
  const inner = /^(["'])(.*)\1$/s.exec(find) ?? /^(<[^<>]*>)(.*)(<\/\w+>)$/s.exec(find)
  if (inner === null) return `${find} ${mark}`
  const [, open = '', own = '', close = open] = inner
  return `${open}${own} ${mark}${close}`
}
