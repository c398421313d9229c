import t from 'tap'
import { availableCpus } from '../available-cpus.js'

function system(files: Readonly<Record<string, string>>): (path: string) => string {
  return (path) => {
    const text = files[path]
    if (text === undefined) throw new Error(`there is no ${path}`)
    return text
  }
}

t.test('a container with a quota has fewer processors than its machine', async (t) => {
  const v2 = (text: string): number => availableCpus(64, system({ '/sys/fs/cgroup/cpu.max': text }))
  t.equal(v2('150000 100000\n'), 2)
  t.equal(v2('10000 100000\n'), 1, 'never none')
  t.equal(v2('6400000 50000\n'), 64, 'never more than there are')
  t.equal(v2('max 100000\n'), 64)
  const v1 = (quota: string): number =>
    availableCpus(
      64,
      system({
        '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': `${quota}\n`,
        '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
      }),
    )
  t.equal(v1('400000'), 4)
  t.equal(v1('-1'), 64)
})

t.test('without a quota all processors count', async (t) => {
  t.equal(availableCpus(8, system({})), 8)
  t.ok(availableCpus() >= 1)
})
