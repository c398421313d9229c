import type { Page } from './markup/tree.js'

/** How a page shows texts by their keys: the function, and where it has it from, so that the same code can stand in another page. */
export interface Keyed {
  /** `{t(` or `{{ $t(`: what stands before the key */
  open: string
  close: string
  /** from where the page takes the function, `''` where every page has it */
  from: string
}

export interface KeyCall extends Keyed {
  key: string
  /** the key as the code writes it, with its quotes */
  literal: string
}

const CALL = /(\{\{?\s*)(\$?[a-z_]\w*)\(\s*((["'])([\w][\w.:-]*)\4)\s*\)(\s*\}?\})/gi
const MAX_CALLS = 120

/** The keys that stand alone where a page shows something. None where it is not told from where the function comes, or it knows only a part of the keys. */
export function keyCallsOf({ text }: Pick<Page, 'text'>): KeyCall[] {
  const found: KeyCall[] = []
  for (const [, open = '', name = '', literal = '', , key = '', close = ''] of text.matchAll(CALL)) {
    const from = fromOf(text, name)
    if (from === null || found.length === MAX_CALLS) continue
    found.push({ open: `${open}${name}(`, close: `)${close}`, from, key, literal })
  }
  return found
}

function fromOf(text: string, name: string): string | null {
  if (/^\$(t|_)$/.test(name)) return ''
  if (!/^(t|translate|_)$/.test(name)) return null
  const given = [
    ...text.matchAll(
      new RegExp(`\\b(?:const|let)\\s+(?:\\{[^}]*\\b${name}\\b[^}]*\\}|${name})\\s*=\\s*([^\\n;]+)`, 'g'),
    ),
  ].map(([, from = '']) => from.replace(/\s/g, ''))
  const [first, ...more] = given
  // A part of the keys is another part on another page.
  return first === undefined || more.some((one) => one !== first) || !/\(\)$/.test(first) ? null : first
}
