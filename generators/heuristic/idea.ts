import type { Mechanism } from '../port.js'
import type { Change } from './edits.js'
import type { FieldReads } from './field-reads.js'
import type { Handler } from './form-handlers.js'
import type { KeyCall } from './keyed.js'
import type { Page } from './markup/tree.js'
import type { Statement } from './statements.js'
import type { Form, Plan } from './surface.js'
import type { AnswerTime } from './words/answers.js'
import type { Language } from './words/language.js'
import type { Purpose, Reassurance } from './words/phrases.js'
import type { StatementKind } from './words/statements.js'

/** What is hoped for: an act of visitors that an event can show. */
export type Goal = Exclude<Purpose, 'checkout'> | 'purchase' | 'cart' | 'plan' | 'send' | 'click'

/** A page as the mechanisms see it. */
export interface View {
  page: Page
  /** `null`: nothing is written on this page */
  language: Language | null
  forms: readonly Form[]
  plans: readonly { parent: Page['root']; plans: readonly Plan[] }[]
  /** what the rest of the site says; `null` while it is not known */
  site: Site | null
}

/** What a file states, word for word. */
export interface Evidence {
  path: string
  says: string
}

/** How a block of a page looks to those who see it among others, as far as its source says it. */
export interface Dress {
  /** the heading that is seen, `''` where it is not known or code gives it */
  heading: string
  /** it holds the title of the page */
  opens: boolean
  /** a picture without words to speak of: it belongs to what stands before it */
  isPicture: boolean
  /** the class or colour of its background, `''` where it has none of its own */
  ground: string
  /** it has no space of its own above: that of what stands before it parts the two */
  borrows: boolean
  /** it begins with its number among the others */
  isNumbered: boolean
  /** how many people speak in it; `null` where that is not told */
  voices: number | null
  /** how many of its links lead to other sites, apart from those of a list */
  leadsOut: number
  /** it says itself that others use it, by names, signs or figures */
  vouches: boolean
  /** where its buttons and links lead, buttons first */
  leads: readonly string[]
}

/** How long a part stands before a page that waits for nothing but time. */
export interface Waits {
  milliseconds: number
  /** the property that says it, with `milliseconds` where that is left out */
  by: string | null
  /** the property that it calls at the end; `null` where it goes by itself */
  calls: string | null
}

/** What a part of pages holds, as far as those that show it have to know. */
export interface Part {
  waits: Waits | null
  /** what it shows lies over all of the window */
  covers: boolean
  /** its words stand in for others */
  isStandIn: boolean
  /** it has buttons of its own */
  asks: boolean
  /** one sees a field in it from the start */
  showsField: boolean
  /** it can give its look to what stands in it */
  takesChild: boolean
  /** what would be there twice where it is shown twice */
  hasIds: boolean
  /** how wide it is in a bar on phones, about, in pixels; 0 where that is not known */
  room: number
  dress: Dress
}

/** A file that opens the site. */
export interface Opening {
  /** the start page that shows it */
  page: string
  /** the part above it that other pages show too, and in which nothing is to be pressed */
  below: string | null
}

/** What a source needs to stand in another file: a name, and from where the file that has it takes it. */
export interface Need {
  name: string
  from: string
  isDefault: boolean
}

/** A way to what a site is there for, as one of its files has it. */
export interface Way {
  href: string
  /** its words, as they stand in the file */
  label: string
  /** it looks like a button, and like no quieter one */
  isButton: boolean
  /** it stands in what is around the pages of a site */
  isFramed: boolean
  /** it is in sight on screens of all widths, whatever code decides */
  isAlways: boolean
  /** it stands right below words, so that it looks well there */
  followsText: boolean
  /** it is a button in what a start page opens with */
  isOpening: boolean
  /** as it can stand somewhere else; `null` where it cannot */
  copy: Copy | null
}

export interface Copy {
  source: string
  needs: readonly Need[]
  /** it brings the space above it */
  hasSpace: boolean
  /** it is a link that looks like the site's button: that has to take one */
  needsChild: boolean
}

/** A way to all that a shop has. */
export interface Browse extends Way {
  /** it stands where nothing is in the cart, or nothing has been ordered or kept yet */
  isInEmpty: boolean
}

export interface KnownWay extends Way {
  path: string
}

/** A place at which a file shows a part that is called after prices. */
export interface Mount {
  /** as its tag names it, in lower case, without marks */
  part: string
  /** the part that comes below it; `null` where that is no part, or nothing */
  next: string | null
  isLast: boolean
  /** what comes below it asks for something */
  asks: boolean
}

export interface KnownMount extends Mount {
  path: string
}

export interface KnownStatement extends Statement {
  path: string
  /** the code that shows it, where it is a key's text */
  keyed?: KeyCall
  shows: readonly string[]
}

/** How soon those are answered who write, as a file of the site says it. */
export interface KnownAnswer extends AnswerTime {
  path: string
  language: Language
  /** where its forms send to */
  to: string | null
  keyed?: KeyCall
}

/** A page of the site, as far as others may speak of it. */
export interface KnownPage {
  path: string
  /** the title that it shows, where that is plain words */
  heading: string | null
  /** the first sentence with which it tells search engines what it is */
  describes: string | null
  /** what it calls itself in the bar of the window */
  titled: string | null
  language: Language | null
}

/** The title of a page, as the object of another file has it. */
export interface CopiedTitle {
  says: string
  /** the other texts of that object */
  beside: readonly string[]
  /** of those texts together */
  language: Language | null
  path: string
}

/** Where a label for newcomers leads. */
export interface Start {
  href: string
  label: string
}

/** A way to where one signs in. */
export interface Door {
  href: string
  /** `''` where it is not known: a sign, or a key's text */
  label: string
  isForNewcomers: boolean
}

/** A property that data sets for what most choose, with its words where it has any, and the first file that sets it. */
export interface KnownMark {
  property: string
  says: string | null
  path: string
}

/** What stays at the lower edge of the window on phones. */
export interface Below {
  /** nothing, a button in the right corner alone, or more */
  what: 'nothing' | 'corner' | 'edge'
  /** one calls there */
  calls: boolean
  /** where it leads on phones */
  leads: readonly string[]
  /** parts that float as they are called: what those of the site do, their files say themselves */
  parts: readonly string[]
}

/** What pages of a site say to each other's advantage. */
export interface Site {
  /** ways within the site, by address, with the words of the link and how many links lead there; none where only its page is known */
  links: readonly {
    href: string
    label: string
    count: number
    /** the words of different links there, each with one file that has it */
    labels: readonly { label: string; path: string }[]
  }[]
  /** ways to places on the start page that are there, with the words of the link */
  places: readonly { href: string; label: string }[]
  pages: readonly KnownPage[]
  /** titles of pages that stand in an object of another file, by the path of the page */
  copiedTitles: Readonly<Record<string, CopiedTitle>>
  /** the files with which it opens, by path */
  openings: Readonly<Record<string, Opening>>
  /** ways to what it is there for */
  ways: readonly KnownWay[]
  /** ways to all that a shop has */
  browses: readonly (Browse & { path: string })[]
  /** where labels for newcomers lead, of those to pages on which one signs up */
  starts: readonly (Start & { path: string })[]
  /** ways to where one signs in */
  doors: readonly (Door & { path: string })[]
  /** links that dial, each number with one file; `''` for a number that is not told */
  dials: readonly { href: string; path: string }[]
  /** what it opens with has one of these, on phones too */
  callsFirst: boolean
  /** where it shows parts that are called after prices */
  mounts: readonly KnownMount[]
  /** that using it costs nothing */
  free: Evidence | null
  /** a promise that takes away a risk */
  promise: Evidence | null
  /** that others use it */
  proof: Evidence | null
  /** parts that stand in what cuts off what is too wide, by name: nothing in them sticks to the window */
  clipped: readonly string[]
  /** what stays at the lower edge of the window on more than one page */
  below: Below
  /** it is there to be taken and made a site of, as it says itself or its sheets of samples do: none of its forms sends anything yet, which says nothing of them */
  isKit: boolean
  /** pages of HTML with forms that no script of theirs sends, by their files */
  idle: readonly string[]
  /** pages on which nobody takes what is filled in, by their files */
  deadEnds: readonly string[]
  /** its parts, by the name of their files in lower case, without marks */
  parts: Readonly<Record<string, Part>>
  /** what its search finds, as the headings of the results name it */
  finds: readonly Evidence[]
  /** some page names a price */
  hasPrices: boolean
  /** that it can be tried without paying */
  trial: Evidence | null
  /** with what its start page opens, in one line */
  line: Evidence | null
  /** that one of its plans costs nothing */
  freePlan: Evidence | null
  /** the classes that most of its labels have, `''` for none; `null` where it has no labels */
  labelStyle: string | null
  /** how its code reads fields of forms */
  fieldReads: FieldReads
  /** whole sentences that help those who hesitate, with the parts that their page shows */
  statements: readonly KnownStatement[]
  /** how soon those are answered who write: none where the site says it in two ways */
  answers: readonly KnownAnswer[]
  /** parts of pages, by name, beside which that is said already, with the files that say it */
  answersBeside: Readonly<Record<string, readonly string[]>>
  /** by part, by name, the kinds of statements that pages are headed with which show it */
  headedAbove: Readonly<Record<string, readonly StatementKind[]>>
  /** some page says that who goes has to say so before, or is bound for some time */
  deniesCancel: boolean
  /** how its data says that one of several things is the one that most choose */
  marks: readonly KnownMark[]
  /** what the code reads that receives a page's forms, by `receiverKey` */
  handlers: Readonly<Record<string, Handler>>
  /** texts that pages show from other files, by `spokenKey` */
  spoken: Readonly<Record<string, Evidence>>
  /** phrases that answer a doubt, one of a kind */
  reassures: readonly { kind: Reassurance; evidence: Evidence }[]
}

export interface Arm {
  /** what reviewers and results call it */
  name: string
  changes: readonly Change[]
  /** its new words, `null` where it has none */
  says: string | null
}

/** What a rule found. `effect` is what such changes are known to do, from 1 (small) to 5. */
export interface Idea {
  mechanism: Mechanism
  pattern: string
  name: string
  anchor: string
  topics: readonly string[]
  arms: readonly Arm[]
  audience: string
  change: string
  because: string
  goal: Goal
  /** where the goal is that something is pressed: what that is, as the end of “send it when …” */
  when?: string
  effect: number
  /** a class of the site's own that an arm uses: it has to stand somewhere else in the repository */
  needsClass?: string
  /** what holds for the whole repository, or nothing is proposed: nothing stays at the top of the window, a forgotten password can be set anew, the page is not kept for some */
  onlyWhere?: 'nothing sticks' | 'anybody comes' | 'passwords are set anew' | 'passwords are mailed anew'
  /** an address that it leads to: where all pages that show its file are there already, nobody is led on */
  leadsTo?: string
  /** another rule that does the same for its visitors: where that one has found something, this is one too many */
  unless?: string
  /** the last day on which it can be said, as `YYYY-MM-DD` */
  until?: string
  /** the same change in other files is a part of this one */
  isOneEverywhere?: boolean
  /** what it says that another file states */
  evidence?: readonly Evidence[]
}

export type Rule = (view: View) => Iterable<Idea>
