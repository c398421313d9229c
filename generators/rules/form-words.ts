import type { CtaPurpose } from '../lexicon/lexicon.js'
import type { Form, FormField } from '../page/forms.js'

const AT: Readonly<Record<CtaPurpose, string>> = {
  'sign up': 'at sign-up',
  'sign in': 'at sign-in',
  contact: 'in the contact form',
  quote: 'in the quote form',
  booking: 'in the booking form',
  subscribe: 'for the newsletter',
  purchase: 'at checkout',
  cart: 'in the cart',
  search: 'in the search',
  plans: 'in the form for plans',
  review: 'in the review form',
}

/** Which form is meant, in the reader's words: "at sign-up". */
export const formNamed = ({ purpose }: Pick<Form, 'purpose'>): string =>
  purpose === null ? 'in the form' : AT[purpose]

/** What a form is about, for notes and the focus. */
export const topicsOf = ({
  heading,
  submitLabel,
  purpose,
}: Pick<Form, 'heading' | 'submitLabel' | 'purpose'>): string[] => [
  heading,
  submitLabel,
  purpose ?? '',
  'form',
]

/** A field as the page calls it, without its marks: "“Company”". */
export const fieldSaid = ({ label }: Pick<FormField, 'label'>): string =>
  quoted(label.replace(/\s*[*:]+\s*$/, ''))

export const quoted = (text: string): string =>
  `“${text.length > 60 ? `${text.slice(0, 59).trim()}…` : text}”`
