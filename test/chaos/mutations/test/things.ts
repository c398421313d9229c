import t from 'tap'
import { findThing, type Thing } from '../things.js'

const SOURCE = `
class Store {
  async write(deps, block) {
    if (!seen.add(block.id)) return;
    await this.log.append(block.rows);
    await deps.faultPoint('written');
    return (await this.last) >= block.number;
  }
}
export async function announce(sql, from) {
  await sql\`update blocks set done = \${from}, open = \${from + 1}
    where id = 1\`;
}
`

/** The same code with another layout and other local names. */
const ANOTHER = SOURCE.replaceAll('block', 'one')
  .replaceAll('deps', 'given')
  .replace(/\n\s+where/, ' where')
  .replaceAll('await ', 'await\n ')

function read(source: string, within: string, thing: Thing) {
  const { from, to, ...written } = findThing(source, within, thing)
  return { ...written, whole: source.slice(from, to) }
}

t.test('code is found by its meaning', async (t) => {
  t.match(read(SOURCE, 'Store.write', { negated: 'add' }), {
    whole: '!seen.add(block.id)',
    text: 'seen.add(block.id)',
  })
  t.match(read(SOURCE, 'Store.write', { awaited: 'append' }), {
    whole: 'await this.log.append(block.rows)',
    object: 'this.log',
    args: ['block.rows'],
  })
  t.match(read(SOURCE, 'Store.write', { faultPoint: 'written' }), { object: 'deps' })
  t.match(read(SOURCE, 'Store.write', { returned: 'a comparison' }), { right: 'block.number' })
  t.match(read(SOURCE, 'announce', { sets: 'done' }), { whole: 'from', others: { open: 'from + 1' } })
  t.match(read(SOURCE, 'announce', { clause: 'update blocks' }), { whole: 'update blocks' })
})

t.test('code is found after a change of its layout and of local names', async (t) => {
  for (const thing of [
    { negated: 'add' },
    { awaited: 'append' },
    { faultPoint: 'written' },
    { returned: 'a comparison' },
  ] as const)
    t.ok(read(ANOTHER, 'Store.write', thing).whole, JSON.stringify(thing))
  t.match(read(ANOTHER, 'announce', { sets: 'open' }), { whole: 'from + 1' })
})

t.test('missing code is an error that names it', async (t) => {
  t.throws(
    () => read(SOURCE, 'Store.read', { call: 'append' }),
    /0 functions, not one, are called Store\.read/,
  )
  t.throws(() => read(SOURCE, 'announce', { sets: 'gone' }), /announce has 0 places, not one, .*gone/)
  t.throws(() => read(SOURCE.replace('return;', 'seen.add(2);'), 'Store.write', { call: 'add' }), /2 places/)
})
