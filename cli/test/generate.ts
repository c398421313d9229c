import t from 'tap'
import { nextSteps } from '../proposals/generation.js'

t.test('a batch is followed by its next steps', async (t) => {
  const said = (survived: number, ...dropped: { reason: string; count: number }[]): string =>
    nextSteps({ id: 'r1', survived, dropped })
  t.equal(
    said(2, { reason: 'duplicate', count: 9 }),
    'Read them with: svc proposals list --experiment-run-id r1\n',
  )
  const both = said(2, { reason: 'page_without_idea', count: 13 })
  t.match(both, /^Read them with: .* r1\nNo rule applies/)
  t.match(both, 'applies to 13 pages. To get ideas for the rest, connect a language model')
  const closed = said(0, { reason: 'path_not_allowed', count: 6 })
  t.match(closed, /^6 ideas were dropped because svc may not write to their files\. .*--helper.*--allow/)
  t.notMatch(closed, 'No rule found')
  t.match(said(0), /^No rule found anything worth testing/)
})
