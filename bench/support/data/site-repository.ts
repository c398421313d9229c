import { execFileSync } from 'node:child_process'

/** A bare repository like a large site's. */
export interface SiteRepository {
  readonly path: string
  readonly head: string
  /** A page that only this number has. */
  pageOf(n: number): { readonly path: string; readonly text: string; readonly blob: string }
}

const FOLDERS = 400
const COMMITS = 300

/**
 * Creates a repository with this many files: pages first, then code in nested folders, and a history in which
 * each commit changes a few.
 */
export function makeSiteRepository(path: string, files: number, pages: number): SiteRepository {
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', path])
  execFileSync('git', ['fast-import', '--quiet'], { cwd: path, input: streamOf(files, pages), env: ENV })
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: path, env: ENV, maxBuffer: 2 ** 30 })
      .toString()
      .trim()
  const blobs = new Map(
    git('ls-tree', '-r', 'main', 'pages/')
      .split('\n')
      .map((line) => {
        const [, , id = '', name = ''] = line.split(/[ \t]/)
        return [name, id]
      }),
  )
  return {
    path,
    head: git('rev-parse', 'main'),
    pageOf: (n) => ({ path: pagePath(n), text: pageText(n), blob: blobs.get(pagePath(n)) ?? '' }),
  }
}

const ENV = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
}

const pagePath = (n: number): string => `pages/${n % 20}/page-${n}.html`

function pageText(n: number): string {
  const items = Array.from({ length: 40 }, (_, item) => `    <li>Thing ${item} of page ${n}</li>\n`).join('')
  return `<!doctype html>\n<html lang="en">\n  <head><title>Page ${n}</title></head>\n  <body>\n    <h1>Welcome to ${n}</h1>\n    <ul>\n${items}    </ul>\n  </body>\n</html>\n`
}

function codePath(n: number): string {
  const folder = n % FOLDERS
  return `src/${folder % 20}/${folder % 3 === 0 ? `deep/${folder}/` : ''}part-${n}.ts`
}

function streamOf(files: number, pages: number): string {
  const parts: string[] = []
  const commit = (n: number, message: string) =>
    parts.push(
      `commit refs/heads/main\ncommitter Ada <ada@example.com> ${1_700_000_000 + n * 60} +0000\ndata ${message.length}\n${message}\n`,
    )
  const put = (path: string, text: string) =>
    parts.push(`M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`)
  commit(0, 'First')
  put('package.json', '{"name":"site"}\n')
  for (let n = 0; n < pages; n++) put(pagePath(n), pageText(n))
  for (let n = pages; n < files; n++) put(codePath(n), `export const part = ${n}\n`.repeat(30))
  for (let c = 1; c <= COMMITS; c++) {
    commit(c, `Change ${c}`)
    for (let k = 0; k < 3; k++) {
      const n = pages + ((c * 7919 + k * 104_729) % (files - pages))
      put(codePath(n), `export const part = ${n * c}\n`.repeat(30))
    }
  }
  return parts.join('')
}
