import type { Dialect } from './dialect.js'
import { html } from './html/html.js'
import { script } from './script/script.js'
import { svelte } from './svelte/svelte.js'
import { vue } from './vue/vue.js'

const DIALECTS: readonly { ending: RegExp; dialect: Dialect }[] = [
  { ending: /\.html?$/i, dialect: html },
  { ending: /\.([cm]?[jt]s|[jt]sx)$/i, dialect: script },
  { ending: /\.vue$/i, dialect: vue },
  { ending: /\.svelte$/i, dialect: svelte },
]

/** The language of a file by its name. Undefined: the file accepts plain edits only. */
export function dialectOf(path: string): Dialect | undefined {
  return DIALECTS.find(({ ending }) => ending.test(path))?.dialect
}
