import type { Idea, View } from '../../idea.js'
import { wordsIn } from '../../markup/tree.js'
import { anchorOf, headingNear } from '../../surface.js'
import { PROMISE } from '../../words/phrases.js'
import { commitButton, goalOf, isBeside, repeatBelow, statement } from './repeat-beside.js'

/**
 * A promise that the page makes somewhere, repeated where one decides. In the page's own words, whole: nothing is promised that is not already. Not
 * where it stands beside the button, nor from a question or a text with a condition.
 */
export function* riskReversal(view: View): Generator<Idea> {
  if (view.language === null) return
  const button = commitButton(view)
  const promise = statement(view, PROMISE[view.language])
  if (button === null || promise === null || isBeside(view, button, promise.text)) return
  const arm = repeatBelow(view, button, promise.text)
  if (arm === null) return
  yield {
    mechanism: 'risk reversal',
    pattern: 'promise-at-button',
    name: `Repeat “${promise.text.value}” where visitors decide`,
    anchor: anchorOf(button),
    topics: ['call to action', headingNear(button), wordsIn(button)],
    arms: [arm],
    audience: 'visitors who hesitate before they commit',
    change: `repeating the page’s own “${promise.text.value}” below “${wordsIn(button)}”`,
    because:
      'what takes the risk away helps most at the moment of deciding, and now stands elsewhere on the page',
    goal: goalOf(view),
    effect: 4,
  }
}
