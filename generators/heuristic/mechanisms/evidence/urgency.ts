import type { Idea, View } from '../../idea.js'
import { DEADLINE } from '../../words/phrases.js'
import { repeatStated } from './repeat-stated.js'

/** A day that the page itself names, repeated at the button. No countdown, no scarcity, no day that the page does not state; nothing for visitors to fear. */
export const urgency = (view: View): Generator<Idea> =>
  repeatStated(view, {
    mechanism: 'urgency',
    pattern: 'stated-deadline-at-button',
    form: DEADLINE,
    name: (says) => `Say the deadline at the button: “${says}”`,
    topics: ['deadline'],
    audience: 'visitors who mean to come back later',
    because: 'who does not see the day may miss it (check that it is still ahead)',
    goal: () => 'purchase',
    effect: 3,
  })
