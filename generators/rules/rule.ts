import type { Language } from '../lexicon/language.js'
import type { Lexicon, ReassuranceKind } from '../lexicon/lexicon.js'
import type { PageAction } from '../page/actions.js'
import type { PageChange } from '../page/edits.js'
import type { Handler } from '../page/form-handler.js'
import type { Form } from '../page/forms.js'
import type { PlanGroup } from '../page/pricing-plans.js'
import type { PageTree } from '../page/tree.js'
import type { Mechanism } from '../port.js'
import type { Goal } from './targets.js'

/** A phrase of the site that answers a doubt, word for word, and the file that states it. */
export interface Statement {
  kind: ReassuranceKind
  says: string
  path: string
  language: Language
}

/** A link as a file writes it. */
export interface SiteLink {
  path: string
  to: string
  label: string
}

/** What rules know of the rest of the site. */
export interface SiteContext {
  statements: readonly Statement[]
  /** it has a cart or a checkout */
  isShop: boolean
  /** classes that pages of the site use */
  classes: ReadonlySet<string>
  /** the classes of its buttons, `null` if they have none in common */
  buttonClass: string | null
  /** the classes of buttons with a border in place of a ground */
  quietClass: string | null
  /** values that the site gives to a property of its buttons, by `Button variant` */
  styles: ReadonlyMap<string, ReadonlySet<string>>
  links: readonly SiteLink[]
  /** ids of elements, which links may jump to */
  anchors: ReadonlySet<string>
}

/** A page as rules see it. */
export interface PageContext {
  page: PageTree
  language: Language
  lexicon: Lexicon
  forms: readonly Form[]
  actions: readonly PageAction[]
  plans: readonly PlanGroup[]
  /** the code that receives a form, for the forms of which it is known */
  handlers: ReadonlyMap<Form, Handler>
  site: SiteContext
}

/** What a rule found on a page. The hypothesis is made of `change`, `goal` and `because`. */
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
