import t from 'tap'
import { nextOf } from '../proposals/generate.js'

t.test('what there is to do after a batch', async (t) => {
  const said = (survived: number, ...dropped: { reason: string; count: number }[]): string =>
    nextOf({ id: 'r1', survived, dropped })
  t.equal(said(2, { reason: 'duplicate', count: 9 }), 'Read them with: svc proposals list --run r1\n')
  const both = said(2, { reason: 'page_without_idea', count: 13 })
  t.match(both, 'Read them with: svc proposals list --run r1\nThe rules know twelve things')
  t.match(both, 'none of them on 13 pages. Connect a language model')
  const closed = said(0, { reason: 'path_not_allowed', count: 6 })
  t.match(closed, /^6 ideas were left out whose files svc may not write to\. .*--helper.*--allow/)
  t.notMatch(closed, 'Nothing in the code')
  t.match(said(0), /^Nothing in the code is worth a test/)
})
