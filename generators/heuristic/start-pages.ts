import { plain } from './uses.js'

/** What a list of routes shows where a site begins: a part by its name, or a file by its path. */
export interface Shown {
  name: string | null
  from: string | null
}

/** An entry of a list, or an element, for the address at which a site begins. */
const ENTRY = /\{\s*(?:[\w$]+\s*:\s*[^{},]+,\s*){0,3}path\s*:\s*(["'`])\/\1([^{}]{0,400})/g
const ELEMENT =
  /<Route\b(?=[^<]{0,200}\bpath=\{?(["'`])\/\1)([^>]{0,200}?(?:<\w+[^>]{0,80}\/?>[^>]{0,40})?)>/g
const NAMED = /\b(?:component|Component|element)\s*[:=]\s*\{?\s*<?\s*([A-Z]\w*)/
const LOADED = /\bimport\(\s*(?:\/\*[\s\S]*?\*\/\s*)?(["'`])([^"'`\n]+)\1/

/** Nearly all files have none. */
const AT_ROOT = /\bpath\s*[:=]\s*\{?["'`]\/["'`]/

/** What the routes of a file show at `/`, by its text without comments. Parts that are loaded later are told by the file that they come from. */
export function shownAtRoot(code: string): Shown[] {
  if (!AT_ROOT.test(code)) return []
  const found = [...code.matchAll(ENTRY), ...code.matchAll(ELEMENT)].flatMap(([, , own = '']): Shown[] => {
    const from = LOADED.exec(own)?.[2]
    if (from !== undefined) return [{ name: null, from }]
    const name = NAMED.exec(own)?.[1]
    if (name === undefined) return []
    const later = new RegExp(`\\b${name}\\s*=[^;]{0,60}?\\bimport\\(\\s*(["'\`])([^"'\`\\n]+)\\1`).exec(code)
    return [{ name, from: later?.[2] ?? null }]
  })
  return found.slice(0, 4)
}

/** What lets in those alone who may, with what it shows. */
const GUARDED =
  /<(\w*(?:Protected|Private|Guard|Require|Auth|Role|Admin)\w*\b[^<>]*)>\s*(?:<(?:Suspense|\w*Layout)\b[^<>]*(?:<[^<>]*>)?[^<>]*>\s*)?<([A-Z]\w*)/g

/** The parts that the routes of a file show to staff alone, by their names. */
export const shownToStaff = (code: string): string[] =>
  /admin|staff/i.test(code)
    ? [
        ...new Set(
          [...code.matchAll(GUARDED)].flatMap(([, guard = '', name = '']) =>
            /admin|staff/i.test(guard) ? plain(name) : [],
          ),
        ),
      ]
    : []

const LISTED =
  /\b(?:const|let)\s+(\w*(?:public|unprotected|open|allow)\w*)[^=\n]{0,60}=\s*(?:new Set\(|createRouteMatcher\()?\s*\[([^\]]{0,3000})\]/gi
const SIGNS_IN = /^\/([\w-]+\/)?(log-?in|sign-?in|auth|anmelden|connexion|ingresar|iniciar)/i

/**
 * The addresses that a site's middleware lets everybody see, where it names these alone and sends all others to sign in; `null` where it does not.
 * @param path of the middleware
 */
export function seenByAll(path: string, code: string): string[] | null {
  if (!/(^|\/)(middleware|proxy)\.[jt]s$/.test(path) || !/redirect/i.test(code)) return null
  if (/\b(?:const|let)\s+\w*(protected|private|guarded|auth\w*(routes|paths))/i.test(code)) return null
  const found = [...code.matchAll(LISTED)].flatMap(([, , own = '']) =>
    [...own.matchAll(/["'`](\/[^"'`]*)["'`]/g)].map(([, to = '']) => to.replace(/\(?[.:*].*$/, '')),
  )
  return found.some((one) => SIGNS_IN.test(one)) ? [...new Set(found)].sort() : null
}
