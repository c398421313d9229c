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

/** Names of lists of addresses. */
const LISTED =
  /\b(?:const|let)\s+(\w+)[^=\n]{0,60}=\s*(?:new Set\(|createRouteMatcher\()?\s*\[([^\]]{0,3000})\]/g
const FOR_ALL = /public|unprotected|open|allow/i
const FOR_STAFF =
  /^(?:is)?_?(?:admin|staff|vorstand|employee|mitarbeiter|manager|management|backoffice|internal|intern|board)_?(?:only)?_?(?:paths?|routes?|pages?|urls?|prefix\w*|bereich\w*)/i
const FOR_SOME =
  /(?:protected|private|guarded|secured?|restricted|auth\w*)_?(?:paths?|routes?|pages?|urls?|prefix\w*)/i
const SIGNS_IN = /^\/([\w-]+\/)?(log-?in|sign-?in|auth|anmelden|connexion|ingresar|iniciar)/i
/** Where requests come by before any page is shown. */
const GATE = /(^|\/)(middleware|proxy|hooks\.server)\.[jt]s$/
const SENDS_AWAY = /redirect|\bstatus\s*:\s*30[2378]\b/i

/** The addresses of all lists of a file whose names say what they are for. */
const listedAs = (code: string, name: RegExp): string[] =>
  [...code.matchAll(LISTED)].flatMap(([, called = '', own = '']) =>
    name.test(called)
      ? [...own.matchAll(/["'`](\/[^"'`]*)["'`]/g)].map(([, to = '']) => to.replace(/\(?[.:*].*$/, ''))
      : [],
  )

/**
 * The addresses that a site's middleware lets everybody see, where it names these alone and sends all others to sign in; `null` where it does not.
 * @param path of the middleware
 */
export function seenByAll(path: string, code: string): string[] | null {
  if (!GATE.test(path) || !SENDS_AWAY.test(code)) return null
  if (/\b(?:const|let)\s+\w*(protected|private|guarded|auth\w*(routes|paths))/i.test(code)) return null
  const found = listedAs(code, FOR_ALL)
  if (!found.some((one) => SIGNS_IN.test(one))) return null
  // What it asks for by itself is let through, or sent on, apart from the list.
  const alone = [...code.matchAll(/\bpathname\s*===?\s*["'`](\/[^"'`]*)["'`]/g)].map(([, to = '']) => to)
  return [...new Set([...found, ...alone])].sort()
}

/** The addresses that a site's middleware keeps for staff, and for those who have signed in, as lists name them. */
export interface Kept {
  forStaff: readonly string[]
  forSome: readonly string[]
}

/** @param path of the middleware */
export function keptBy(path: string, code: string): Kept {
  if (!GATE.test(path) || !SENDS_AWAY.test(code)) return { forStaff: [], forSome: [] }
  const named = (name: RegExp): string[] =>
    [...new Set(listedAs(code, name))].filter((one) => one !== '/').sort()
  return { forStaff: named(FOR_STAFF), forSome: named(FOR_SOME) }
}
