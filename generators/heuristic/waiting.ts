/**
 * Rules of which readers said too often that what they propose is sound and nothing to test, or that it needs an eye for the page that a rule has not. Each still finds
 * what it finds; it is proposed where a focus asks for it.
 */
const WAITING: ReadonlySet<string> = new Set([
  // Labels that are clear from what stands around them.
  'submit-label contact',
  'submit-says-act',
  'send-names-thing',
  'link-names-its-topic',
  'label-names-destination sign up',
  'label-names-destination contact',
  'label-names-destination click',
  'join-label',
  'plan-buttons',
  'trial-on-button',
  'picture-text',
  'linked-image-text',
  // What helps, and is done without a test.
  'autofill',
  'autofill-allowed',
  'mark-optional',
  'visible-labels',
  'first-answer-open',
  'slides-wait',
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
  'figures-at-button',
  'said-elsewhere-at-sign-up proof',
  'opening-without-news',
])

/** Rules that have to see what stands around a place: in a page of one file they do. */
const SEEING_ALL: ReadonlySet<string> = new Set(['voices-earlier', 'way-on-from-not-found'])
const IS_WHOLE = /\.html?$/i

/** In a site of so few pages all of it is known, and there may be nothing else. */
const FEW_PAGES = 3

/** Whether what a rule found waits until a focus asks for it. */
export const waits = (pattern: string, path: string, pageFiles: number): boolean =>
  pageFiles > FEW_PAGES && (WAITING.has(pattern) || (SEEING_ALL.has(pattern) && !IS_WHOLE.test(path)))
