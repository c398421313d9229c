/** Purposes of forms and buttons, as far as their words and address show them. */
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
  'review',
] as const
export type CtaPurpose = (typeof PURPOSES)[number]

export const FIELD_KINDS = ['coupon', 'company', 'phone', 'email', 'message', 'search', 'card'] as const
export type FieldKind = (typeof FIELD_KINDS)[number]

/** The words of one language that rules read and write. Everything here is data; rules hold no words. */
export interface Lexicon {
  /** names of the purpose in headings and labels */
  purposes: Readonly<Record<CtaPurpose, RegExp>>
  /** buttons that tidy up, change or go back, whatever else they name: "Clear cart" */
  tidies: RegExp
  fields: Readonly<Record<FieldKind, RegExp>>
  couponQuestion: string
}
