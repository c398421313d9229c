import type { Language } from '../lexicon/language.js'
import type { Lexicon } from '../lexicon/lexicon.js'
import type { PageAction } from '../page/actions.js'
import type { PageChange } from '../page/edits.js'
import type { Form } from '../page/forms.js'
import type { Passing } from '../page/passing.js'
import type { PageElement, PageTree } from '../page/tree.js'
import type { Mechanism } from '../port.js'
import type { Contacts } from './contacts.js'
import type { Landmarks } from './landmarks.js'
import type { Goal } from './targets.js'
import type { Way } from './ways.js'

/** Facts from the other files of the repository. */
export interface SiteFacts {
  /** classes and ids by which scripts of the site find elements */
  bound: ReadonlySet<string>
  /** whether a page that shows the file links to a map or shows one */
  hasMapBeside: (path: string) => boolean
  /** whether the business works at its customers' places, such as a plumber */
  comesToCustomers: boolean
  /** codes of countries in the telephone numbers of the site */
  callingCodes: ReadonlySet<string>
  /** numbers and addresses that links of the site use */
  contacts: Contacts
  /** components of the site, and whether they give their attributes on to an `<input>` */
  passing: Passing
  /** targets that the site has, and acts of its own buttons */
  landmarks: Landmarks
}

/** A page as rules see it. */
export interface PageContext extends SiteFacts {
  page: PageTree
  language: Language
  lexicon: Lexicon
  forms: readonly Form[]
  actions: readonly PageAction[]
  /** links and buttons of the whole site that lead to its own pages */
  ways: readonly Way[]
  /** names of pages that have nothing to say yet */
  stubs: ReadonlySet<string>
  /** whether phones show an element of the page, as far as the code of the site tells */
  isOnPhones(element: PageElement): boolean
}

/** The finding of a rule on a page. The hypothesis is made of `change`, `goal` and `because`. */
export interface RuleIdea {
  mechanism: Mechanism
  /** as a product manager would write it on a card */
  name: string
  /** the element and its words: `button "Submit"` */
  anchor: string
  topics: readonly string[]
  /** what reviewers and results call the alternative */
  displayName: string
  changes: readonly PageChange[]
  /** its new words, `null` if it has none */
  says: string | null
  /** follows "If" */
  change: string
  goal: Goal
  because: string
  /** likely effect, 1 (small) to 5 */
  effect: number
  /** what the new text takes from another file, word for word */
  evidence?: readonly { path: string; says: string }[]
}

export interface ProposalRule {
  ruleId: string
  /** why such changes are worth a test, for the reviewer */
  why: string
  find(context: PageContext): Iterable<RuleIdea>
}
