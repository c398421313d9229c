import { withoutComments } from '../comments.js'
import { type FileLinks, isEntry, linksOf, reachedBy } from './reach.js'

/** Pages that a site has in its repository, and that no visitor gets. */

const REFRESH = /<meta\b(?=[^>]*http-equiv=["']?refresh)(?=[^>]*\burl\s*=)/i
const SCRIPT = /<script\b(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/gi
const LATER = /(?:window\.)?setTimeout\(\s*(?:function\s*\(\s*\)|\(\s*\)\s*=>)\s*\{?/g
const LEAVES =
  /(?<![)>&?:|=.\w]\s*)(?:(?:window|document|self|top)\.)?location(?:\.href)?\s*(?:=(?!=)|\.(?:replace|assign)\()/

/** Whether HTML sends its visitors on, at once or after some seconds, and under no condition. */
export function isRedirect(text: string): boolean {
  if (REFRESH.test(text)) return true
  return [...text.matchAll(SCRIPT)].some(([, script = '']) => {
    let code = withoutComments(script).replace(LATER, ';')
    // Code in blocks runs under conditions, or when it is called.
    for (let before = ''; before !== code; ) [before, code] = [code, code.replace(/\{[^{}]*\}/g, ';')]
    return LEAVES.test(code)
  })
}

/** `public/index.html` beside an `index.html` that Vite builds, which takes its place. */
export const replacedByBuild = (path: string, entries: ReadonlySet<string>): boolean =>
  /(^|\/)public\/[^/]+\.html?$/i.test(path) && entries.has(path.replace(/public\/([^/]+)$/, '$1'))

/** HTML that begins a program: `<script type="module" src="/src/main.jsx">`. */
export const isBuildEntry = (text: string): boolean =>
  /<script\b(?=[^>]*\btype=["']?module)(?=[^>]*\bsrc=["']?[^"'\s>]+\.[cm]?[jt]sx?["'\s>])/i.test(text)

const PASSWORD_FIELD = /\btype=(?:["']password["']|\{[^}]*["']password["'][^}]*\})/g
const SHOWS_CHILDREN =
  /\{\s*(?:props\.)?children\s*\}|\breturn\s+(?:props\.)?children\b|<slot\s*\/?>|\{@render\s+children/
/** A customer has an account, and can get one. */
const OF_ACCOUNTS =
  /type=["']email["']|sign-?\s?up|register|create.?account|registr|inscri|konto|forgot|user-?name|autocomplete=["']username/i

/** The name of a component that shows its content to those who know a password, else `null`. */
export function gateIn(path: string, text: string): string | null {
  if (!/\.([jt]sx|vue|svelte)$/i.test(path)) return null
  const code = withoutComments(text)
  if (!SHOWS_CHILDREN.test(code) || OF_ACCOUNTS.test(code)) return null
  return code.match(PASSWORD_FIELD)?.length === 1
    ? (/([^/]+?)(?:\/index)?\.\w+$/.exec(path)?.[1] ?? null)
    : null
}

const LAZY =
  /\b(?:const|let)\s+(\w+)\s*=\s*(?:React\.)?(?:lazy|dynamic|defineAsyncComponent)\([^;]{0,500}?\bimport\([^)]{0,200}\)[^;\n]*\)?;?/g
/** The place at which a layout shows the pages below its folder. */
const PAGES_HERE =
  /\{\s*children\s*\}|<Component\b|<slot\b|<Outlet\b|<router-?view\b|<NuxtPage\b|\{@render\s+children/i

/** The files that only those behind a gate see. */
export async function behindGates(
  files: readonly FileLinks[],
  gates: ReadonlySet<string>,
  read: (path: string) => Promise<string | null>,
): Promise<ReadonlySet<string>> {
  const users = files.filter(({ tags }) => tags.some((tag) => gates.has(tag)))
  if (users.length === 0) return new Set()
  const open = new Map(files.map((one) => [one.path, one]))
  const direct = new Set<string>()
  for (const { path, imports, tags, passedOn, named } of users) {
    const text = (await read(path)) ?? ''
    const shown = [...gates].map((gate) => new RegExp(`<${gate}\\b[\\s\\S]*</${gate}>`, 'g'))
    const without = shown.reduce((code, one) => code.replace(one, ''), text)
    const isUsed = (name: string): boolean =>
      new RegExp(`<${name}\\b|[{:=(,]\\s*${name}\\s*[},)]`).test(without)
    const links = linksOf(
      path,
      without.replace(LAZY, (all, name: string) => (isUsed(name) ? all : '')),
    )
    open.set(path, links)
    const inside = { path, passedOn, named, isForClients: false, addresses: [], table: [] } as const
    const hidden = {
      ...inside,
      imports: imports.filter((one) => !links.imports.includes(one)),
      tags: tags.filter((one) => !links.tags.includes(one) && !gates.has(one)),
    }
    const others = files.filter((one) => one.path !== path)
    for (const one of reachedBy([hidden, ...others], (other) => other === path))
      if (one !== path) direct.add(one)
    const folder = path.replace(/[^/]*$/, '')
    const within = shown.flatMap((one) => text.match(one) ?? []).join('')
    if (PAGES_HERE.test(within))
      for (const one of files) if (one.path !== path && one.path.startsWith(folder)) direct.add(one.path)
  }
  const reached = reachedBy([...open.values()], (path) => isEntry(path) && !direct.has(path))
  return new Set([...direct].filter((path) => !reached.has(path)))
}
