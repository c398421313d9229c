import type { Idea, View } from '../../idea.js'
import { wordsIn } from '../../markup/tree.js'
import { anchorOf, headingNear } from '../../surface.js'
import { DEADLINE } from '../../words/phrases.js'
import { commitButton, isBeside, repeatBelow, statement } from './repeat-beside.js'

/**
 * A day that the page itself names, repeated at the button. No countdown, no scarcity, no day that the page does not state; nothing for visitors to
 * fear. Not where the day stands beside the button already.
 */
export function* urgency(view: View): Generator<Idea> {
  if (view.language === null) return
  const button = commitButton(view)
  const deadline = statement(view, DEADLINE[view.language])
  if (button === null || deadline === null || isBeside(view, button, deadline.text)) return
  const arm = repeatBelow(view, button, deadline.text)
  if (arm === null) return
  yield {
    mechanism: 'urgency',
    pattern: 'stated-deadline-at-button',
    name: `Say the deadline at the button: “${deadline.text.value}”`,
    anchor: anchorOf(button),
    topics: ['call to action', 'deadline', headingNear(button), wordsIn(button)],
    arms: [arm],
    audience: 'visitors who mean to come back later',
    change: `repeating the page’s own “${deadline.text.value}” below “${wordsIn(button)}”`,
    because: 'who does not see the day may miss it (check that it is still ahead)',
    goal: 'purchase',
    effect: 3,
  }
}
