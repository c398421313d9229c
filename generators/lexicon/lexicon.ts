/** What a form or a button is for, as far as its words and address say it. */
export const PURPOSES = [
  'sign up',
  'sign in',
  'contact',
  'quote',
  'booking',
  'subscribe',
  'purchase',
  'cart',
  'search',
  'plans',
] as const
export type CtaPurpose = (typeof PURPOSES)[number]

export const FIELD_KINDS = [
  'coupon',
  'company',
  'phone',
  'email',
  'message',
  'search',
  'card',
  'name',
] as const
export type FieldKind = (typeof FIELD_KINDS)[number]

export type ReassuranceKind =
  | 'no card'
  | 'cancel'
  | 'trial'
  | 'returns'
  | 'shipping'
  | 'answer time'
  | 'no spam'
  | 'free'

/** Texts that are separated by commas. */
export const words = (list: string): string[] => list.split(/,\s+/)

/** The words of one language that rules read and write. Everything here is data; rules hold no words. */
export interface Lexicon {
  /** labels that do not say what happens: "Submit" */
  vagueLabels: readonly string[]
  /** links that do not say where they lead: "Click here" */
  vagueLinks: readonly string[]
  /** links that lead to more on a topic, and how one says which */
  moreLinks: { labels: readonly string[]; about: (label: string, topic: string) => string }
  /** names of the purpose in headings and labels, a button that sends it off, and a link that leads to it */
  purposes: Readonly<Record<CtaPurpose, { named: RegExp; label: string; link?: string }>>
  fields: Readonly<Record<FieldKind, RegExp>>
  /** the second of two password fields */
  repeats: RegExp
  optional: string
  isMarkedOptional: RegExp
  isMarkedRequired: RegExp
  recommended: string
  /** an option or a plan that is marked already */
  isMarked: RegExp
  /** words of plans that are paid by the month or the year */
  isPlan: RegExp
  couponQuestion: string
  /** texts at which a visitor cannot go on, and the label of a way on */
  deadEnds: Readonly<Record<'cart' | 'results' | 'missing', { says: RegExp; label: string }>>
  /** phrases that answer a doubt; the first match is the phrase */
  reassurances: Readonly<Record<ReassuranceKind, RegExp>>
  /** `Sign up` becomes `Sign up for free` */
  freeLabel: (label: string) => string
  isFree: RegExp
}
