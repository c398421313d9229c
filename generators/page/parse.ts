import { htmlPage } from './html.js'
import { jsxPage } from './jsx.js'
import { sveltePage } from './svelte.js'
import type { KeyedTexts, PageTree } from './tree.js'
import { vuePage } from './vue.js'

/**
 * The page that a file shows, `null` if files of its kind show nothing.
 * @throws UnsupportedEditError if the file cannot be parsed
 */
export function parsePage(path: string, text: string, words: KeyedTexts): PageTree | null {
  if (/\.html?$/i.test(path)) return htmlPage(path, text)
  if (/\.vue$/i.test(path)) return vuePage(path, text, words)
  if (/\.svelte$/i.test(path)) return sveltePage(path, text, words)
  if (/\.[jt]sx$/i.test(path) || (/\.(m?js)$/i.test(path) && /<[A-Za-z][^<>]*>|<\//.test(text)))
    return jsxPage(path, text, words)
  return null
}
