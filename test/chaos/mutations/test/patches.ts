import t from 'tap'
import { COMMIT_MUTATIONS, READ_MUTATIONS, SHARD_MUTATIONS } from '../cluster-mutations.js'
import { checkPatches } from '../mutate.js'
import { DEDUPLICATION_MUTATIONS, ENTRY_MUTATIONS, LINK_MUTATIONS, STORE_MUTATIONS } from '../mutations.js'

const ALL = [
  ...[...DEDUPLICATION_MUTATIONS, ...STORE_MUTATIONS, ...ENTRY_MUTATIONS, ...LINK_MUTATIONS],
  ...[...COMMIT_MUTATIONS, ...READ_MUTATIONS, ...SHARD_MUTATIONS],
]

t.test('every mutation finds the code that it changes', async (t) => {
  const wrong = ALL.flatMap(({ name, patches }) => {
    try {
      checkPatches(patches)
      return []
    } catch (error) {
      return [`${name}: ${error}`]
    }
  })
  t.same(wrong, [])
  t.ok(ALL.length >= 12, `${ALL.length} of them`)
})
