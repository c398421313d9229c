// Evidence: a tenth of a second less raised what retailers sell by 8 % and what travel sites sell by 10 %
// (Deloitte and Google 2020, "Milliseconds Make Millions"); half of those on phones leave a page that takes
// longer than three seconds (Google 2016). Admitted because one effect shows the wait, and that nothing is
// loaded meanwhile.
import { fixedWaitsOf, IS_LOADER } from '../page/timers.js'
import { headingOf, quoted } from './place-words.js'
import type { ProposalRule } from './rule.js'
import { mainActOf } from './ways.js'

/** Shorter waits are part of a movement, longer ones of a message. */
const WAITS = { min: 700, max: 8000 }

export const fixedWait: ProposalRule = {
  ruleId: 'fixed-wait',
  why: 'Visitors wait for a timer, and not for anything that loads.',
  *find({ page, ways }) {
    const waits = fixedWaitsOf(page).filter(
      ({ milliseconds }) => milliseconds >= WAITS.min && milliseconds <= WAITS.max,
    )
    const [wait, ...more] = waits
    if (wait === undefined || more.length > 0) return
    const { call, delay, milliseconds } = wait
    const seconds = Math.round(milliseconds / 100) / 10
    const said = seconds === 1 ? '1 second' : `${seconds} seconds`
    const heading = headingOf(page, /^h1$/)
    const thing = IS_LOADER.test(page.path) || heading === '' ? 'the site' : quoted(heading)
    yield {
      mechanism: 'friction',
      name: `Show ${thing} without the wait of ${said}`,
      anchor: `timer "${said}"`,
      topics: ['loading', 'wait', 'speed', heading],
      displayName: 'Without the wait',
      says: null,
      changes: [
        {
          start: delay.start,
          end: delay.end,
          text: '0',
          unit: {
            start: delay.start,
            end: delay.end,
            parent: { start: call.start, end: call.end, parent: null },
          },
        },
      ],
      change: `${thing} is shown at once, and not after a timer of ${said}`,
      goal: mainActOf(ways) ?? 'click',
      because: 'nothing is loaded in that time, and each moment of waiting sends some visitors away',
      effect: 4,
    }
  },
}
