/**
 * Rules of which readers said too often that what they propose is sound and nothing to test: labels that are clear from what stands around them, and what helps and is done
 * without a test.
 */
const CLEAR_ENOUGH: ReadonlySet<string> = new Set([
  'submit-label contact',
  'send-names-thing',
  'label-names-destination sign up',
  'label-names-destination contact',
  'label-names-destination click',
  'join-label',
  'noun-on-button',
  'plan-buttons',
  'picture-text',
  'linked-image-text',
  'autofill',
  'autofill-allowed',
  'mark-optional',
  'visible-labels',
  'first-answer-open',
])

/** Rules whose ideas need an eye for the page, which a rule has not. */
const BY_EYE: ReadonlySet<string> = new Set([
  'submit-says-act',
  'link-names-its-topic',
  'trial-on-button',
  'slides-wait',
  'recommended-plan',
  'way-on-from-not-found',
  // Orders that hang on what the parts look like, and on how good they are.
  'how-earlier',
  'prices-earlier',
  'plans-dearest-first',
  'voices-at-form',
  'yearly-first',
  'ask-again-at-end',
  'navigation-in-sight',
  'sign-up-stands-out',
  'offer-first-in-navigation',
  // What stays in sight lies over all that comes below it.
  'act-below-on-phones',
  // A line taken from where it stood among others.
  'said-where-deciding mended',
  'figures-at-button',
  'said-elsewhere-at-sign-up proof',
  'opening-without-news',
])

/** Rules that see enough in a page of one file. */
const IN_ONE_FILE: ReadonlySet<string> = new Set(['voices-earlier'])
/** A page that stands in one file. */
export const IS_WHOLE = /\.html?$/i

/** In a site of so few pages all of it is known. */
const FEW_PAGES = 6

/** What a rule's ideas wait for: `null` for nothing, else that there is nothing else to propose, or that a focus asks for them. */
export function waitsFor(pattern: string, path: string, pageFiles: number): 'nothing else' | 'focus' | null {
  if (pageFiles <= FEW_PAGES) return null
  if (CLEAR_ENOUGH.has(pattern)) return 'nothing else'
  return BY_EYE.has(pattern) || (IN_ONE_FILE.has(pattern) && !IS_WHOLE.test(path)) ? 'focus' : null
}
