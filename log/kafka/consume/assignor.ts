export interface Member {
  readonly id: string
  readonly owned: readonly number[]
  /** Of the assignment that gave it those. If two claim a partition, the later generation wins. */
  readonly generation: number
}

/**
 * A cooperative sticky assignor: spreads partitions evenly over the members and moves as few as possible.
 *
 * A partition that must move is first assigned to no one. Its owner finishes its batch and requests another
 * assignment, in which the partition is free. So partitions that stay never pause, and two live members never
 * both have one.
 */
export function assignPartitions(
  partitions: number,
  members: readonly Member[],
): ReadonlyMap<string, readonly number[]> {
  const owners = claims(partitions, members)
  const kept = new Map(members.map(({ id }) => [id, [] as number[]]))
  for (const [partition, owner] of owners) kept.get(owner)?.push(partition)

  // If the partitions do not divide evenly, the members that own most keep one more.
  const order = [...kept].sort(([a, one], [b, two]) => two.length - one.length || (a < b ? -1 : 1))
  const least = Math.floor(partitions / members.length)
  const withMore = partitions % members.length
  const free = Array.from({ length: partitions }, (_, i) => i).filter((i) => !owners.has(i))
  const assignment = new Map<string, readonly number[]>()
  for (const [place, [id, own]] of order.entries()) {
    const share = least + (place < withMore ? 1 : 0)
    const stay = own.slice(0, share)
    assignment.set(
      id,
      [...stay, ...free.splice(0, share - stay.length)].sort((a, b) => a - b),
    )
  }
  return assignment
}

function claims(partitions: number, members: readonly Member[]): Map<number, string> {
  const owners = new Map<number, string>()
  const generations = new Map<number, number>()
  for (const { id, owned, generation } of members.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
    for (const partition of owned) {
      const valid = Number.isInteger(partition) && partition >= 0 && partition < partitions
      if (!valid || (generations.get(partition) ?? Number.NEGATIVE_INFINITY) >= generation) continue
      generations.set(partition, generation)
      owners.set(partition, id)
    }
  return new Map([...owners].sort(([a], [b]) => a - b))
}
