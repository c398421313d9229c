import { isEntry } from '../page/reach.js'
import { elementsIn, isInCode, type PageTree, wordsIn } from '../page/tree.js'

const UNREADY =
  /coming soon|under construction|em breve|em construção|próximamente|en construcción|bientôt|en construction|demnächst|im aufbau|work in progress/i
const MAX_WORDS = { ofStub: 4, ofUnready: 30 }

/** Whether a page has nothing to say yet: a few words and no component, or a note that it is to come. */
export function isStub({ path, root }: PageTree): boolean {
  if (!isEntry(path)) return false
  const count = wordsIn(root).split(' ').length
  if (UNREADY.test(wordsIn(root))) return count <= MAX_WORDS.ofUnready
  const isBare = elementsIn(root).every((one) => !isInCode(one) && !one.hasCode && /^[a-z\d]*$/.test(one.tag))
  return isBare && count <= MAX_WORDS.ofStub
}

/** The name of a page by its path or its address: `book` for `app/book/page.tsx`, `Book.jsx` and `/book`. */
export const pageNameOf = (path: string): string =>
  path
    .replace(/#.*$/, '')
    .replace(/\.\w+$/, '')
    .replace(/\/(index|\+?page)$/i, '')
    .replace(/^.*\//, '')
    .replace(/page$/i, '')
    .toLowerCase()
