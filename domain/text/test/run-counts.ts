import t from 'tap'
import { countRun } from '../run-counts.js'

t.test('ideas found are those dropped and stored, and files are counted separately', async (t) => {
  t.strictSame(
    countRun({
      survived: 2,
      dropped: [
        { reason: 'duplicate', count: 13 },
        { reason: 'a_new_reason', count: 1 },
        { reason: 'file_too_large', count: 4 },
        { reason: 'secret', count: 1 },
        { reason: 'fault_seen', count: 1 },
      ],
    }),
    {
      found: 17,
      stored: 2,
      dropped: [
        { label: 'already proposed', count: 13 },
        { label: 'a new reason', count: 1 },
        { label: 'fault of the site, which needs no experiment', count: 1 },
      ],
      skipped: [
        { label: 'files too large to read', count: 4 },
        { label: 'file with a secret', count: 1 },
      ],
    },
  )
})
