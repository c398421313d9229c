import type { Idea, View } from '../../idea.js'
import { PROOF } from '../../words/phrases.js'
import { countsFew, goalOfWay } from './repeat-beside.js'
import { repeatStated } from './repeat-stated.js'

/** How many have judged it, without how. */
const COUNTS_ALONE =
  /^(?:over |more than |über |mehr als |plus de |más de )?[\d.,\s]+\+?\s*(?:google |verified )?(?:reviews?|ratings?|bewertungen|rezensionen|avis|notes|reseñas|opiniones|valoraciones)$/i

/** The site's own figure or names, repeated at the button. Not from a sample: only whole statements of the page. */
export const proof = (view: View): Generator<Idea> =>
  repeatStated(view, {
    mechanism: 'proof',
    pattern: 'stated-proof-at-button',
    form: PROOF,
    orHeading: true,
    isWeak: (says) => countsFew(says) || COUNTS_ALONE.test(says),
    name: (says) => `Show “${says}” at the button`,
    topics: ['social proof'],
    audience: 'visitors who do not know the product yet',
    because: 'that others have decided for it is worth most where one decides',
    goal: goalOfWay,
    effect: 2,
  })
