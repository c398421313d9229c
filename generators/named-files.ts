import { stemOf, wordsOf } from './lexicon/words.js'

const ENDING = /\.(?:html?|[cm]?[jt]sx?|vue|svelte|astro|mdx?|php|ya?ml|json)$/i

/** Words in the paths of any repository, which name no page. */
const OF_ANY_PATH = new Set(
  `app apps src source pages page views view components component routes route site sites public www web lib libs packages client frontend templates
  template static main screens modules ui index layout static html htm js jsx ts tsx mjs cjs mts cts vue svelte astro md mdx php json yaml yml`
    .split(/\s+/)
    .map(stemOf),
)

const apart = (text: string): string => text.replace(/([a-z\d])([A-Z])/g, '$1 $2')

const withoutEnding = (path: string): string => path.replace(ENDING, '')

/** The words of a path that tell it from others, without its ending and common folders. */
export const wordsOfPath = (path: string): string[] =>
  wordsOf(apart(withoutEnding(path))).filter((word) => !OF_ANY_PATH.has(stemOf(word)))

/** Products that are called like files. */
const PRODUCT = /^(node|next|nuxt|vue|react|express|three|d3|ember|alpine|solid)\.js$/i

/** The files that a text names, as `pricing.html` or `app/pricing/page.tsx`. */
export const filesNamedIn = (text: string): string[] =>
  [...text.matchAll(/[\p{L}\p{N}_.@/()[\]+-]*[\p{L}\p{N}_)\]]/gu)]
    .map(([token]) => token.replace(/^[(./]+|[)]+$/g, ''))
    .filter((token) => ENDING.test(token) && !PRODUCT.test(token))

/** Whether a path ends with a name: whole folders, in any case. Without an ending it matches any ending. */
export function endsWithName(path: string, name: string): boolean {
  const whole = `/${(ENDING.test(name) ? path : withoutEnding(path)).toLowerCase()}`
  return whole.endsWith(`/${name.toLowerCase().replace(/^\/+|\/+$/g, '')}`)
}
