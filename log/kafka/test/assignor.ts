import fc from 'fast-check'
import t from 'tap'
import { assignPartitions, type Member } from '../consume/assignor.js'

/**
 * A group over time: after each change all members join again with their partitions, until none must give up
 * any.
 */
class Group {
  readonly owned = new Map<string, readonly number[]>()
  private generation = 0
  moves = 0
  rounds = 0

  constructor(private readonly partitions: number) {}

  settle(): void {
    for (let changed = true; changed; ) {
      this.rounds++
      this.generation++
      const members = [...this.owned].map(([id, owned]) => ({ id, owned, generation: this.generation }))
      const assignment = assignPartitions(this.partitions, members)
      changed = false
      for (const [id, before] of this.owned) {
        const now = assignment.get(id) ?? []
        const lost = before.filter((partition) => !now.includes(partition))
        this.moves += lost.length
        if (lost.length > 0) changed = true
        this.owned.set(id, now)
      }
      const all = [...this.owned.values()].flat()
      if (new Set(all).size !== all.length) throw new Error('two members have one partition')
    }
  }
}

t.test('while members join and leave, partitions are spread evenly and few of them move', async () => {
  const changes = fc.array(fc.record({ join: fc.boolean(), who: fc.nat(5) }), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 24 }), changes, (partitions, steps) => {
      const group = new Group(partitions)
      group.owned.set('m0', [])
      group.settle()
      for (const { join, who } of steps) {
        const id = `m${who}`
        if (join && !group.owned.has(id)) group.owned.set(id, [])
        else if (!join && group.owned.size > 1) group.owned.delete(id)
        const before = { moves: group.moves, rounds: group.rounds }
        group.settle()
        const sizes = [...group.owned.values()].map((own) => own.length)
        const total = sizes.reduce((a, b) => a + b, 0)
        if (total !== partitions || Math.max(...sizes) - Math.min(...sizes) > 1) return false
        // Only what a newcomer needs may leave a member that stays.
        if (group.moves - before.moves > (join ? Math.ceil(partitions / group.owned.size) : 0)) return false
        if (group.rounds - before.rounds > 2) return false
      }
      return true
    }),
  )
})

t.test('the latest assignment of a partition counts', async (t) => {
  const members: Member[] = [
    { id: 'a', owned: [0, 1], generation: 3 },
    { id: 'b', owned: [1], generation: 7 },
    { id: 'c', owned: [-1, 99, 0.5], generation: 9 },
  ]
  const assignment = assignPartitions(3, members)
  t.same([...assignment].sort(), [
    ['a', [0]],
    ['b', [1]],
    ['c', [2]],
  ])
})
