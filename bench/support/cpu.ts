/** Milliseconds of CPU of the whole process, engine included: the least of each work over rounds in which they take turns. */
export async function leastCpu<Name extends string>(
  rounds: number,
  works: Readonly<Record<Name, () => Promise<unknown>>>,
): Promise<Record<Name, number>> {
  const least = Object.fromEntries(Object.keys(works).map((name) => [name, Infinity])) as Record<Name, number>
  for (let round = 0; round < rounds; round++)
    for (const name of Object.keys(works) as Name[]) {
      const before = process.cpuUsage()
      await works[name]()
      const used = process.cpuUsage(before)
      least[name] = Math.min(least[name], (used.user + used.system) / 1_000)
    }
  return least
}
