import type { Idea, View } from '../../idea.js'
import { PROMISE } from '../../words/phrases.js'
import { goalOfWay } from './repeat-beside.js'
import { repeatStated } from './repeat-stated.js'

/** A promise that the page makes somewhere, repeated where one decides: nothing is promised that is not already. */
export const riskReversal = (view: View): Generator<Idea> =>
  repeatStated(view, {
    mechanism: 'risk reversal',
    pattern: 'promise-at-button',
    form: PROMISE,
    name: (says) => `Repeat “${says}” where visitors decide`,
    topics: [],
    audience: 'visitors who hesitate before they commit',
    because:
      'what takes the risk away helps most at the moment of deciding, and now stands elsewhere on the page',
    goal: goalOfWay,
    // Of what it holds stands around it, and is not read along.
    effect: 2,
  })
