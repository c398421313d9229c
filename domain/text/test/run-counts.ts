import t from 'tap'
import { countRun } from '../run-counts.js'

t.test('what was found is what was dropped and what was stored; files are counted apart', async (t) => {
  t.strictSame(
    countRun({
      survived: 2,
      dropped: [
        { reason: 'duplicate', count: 13 },
        { reason: 'a_new_reason', count: 1 },
        { reason: 'file_too_large', count: 4 },
      ],
    }),
    {
      found: 16,
      stored: 2,
      dropped: [
        { label: 'already proposed', count: 13 },
        { label: 'a new reason', count: 1 },
      ],
      skipped: [{ label: 'files too large to read', count: 4 }],
    },
  )
})
