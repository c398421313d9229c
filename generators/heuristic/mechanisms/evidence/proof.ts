import type { Idea, View } from '../../idea.js'
import { PROOF } from '../../words/phrases.js'
import { countsFew, goalOfWay } from './repeat-beside.js'
import { repeatStated } from './repeat-stated.js'

/** The site's own figure or names, repeated at the button. Not from a sample: only whole statements of the page. */
export const proof = (view: View): Generator<Idea> =>
  repeatStated(view, {
    mechanism: 'proof',
    pattern: 'stated-proof-at-button',
    form: PROOF,
    orHeading: true,
    isWeak: countsFew,
    name: (says) => `Show “${says}” at the button`,
    topics: ['social proof'],
    audience: 'visitors who do not know the product yet',
    because: 'that others have decided for it is worth most where one decides',
    goal: goalOfWay,
    effect: 2,
  })
