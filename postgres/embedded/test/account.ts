import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { copyProgram, hold, letGo, query, temporaryFolder } from '../../test/support/server.js'
import { chooseAccount, launchAs } from '../account.js'

const NOBODY = { uid: 65_534, gid: 65_534 }
const root = process.getuid?.() === 0

t.test('Postgres can be started by root', { skip: root ? false : 'optional: not root' }, async (test) => {
  const folder = temporaryFolder(test)
  const script = copyProgram(folder)

  await test.test(
    'with program and data in a folder of mode 0700, Postgres has a single capability',
    async (within) => {
      const held = await hold(within, join(folder, 'data', 'postgres'), script)
      within.strictSame([...(await query(held.url, (sql) => sql`select 1 as one`))], [{ one: 1 }])
      const status = readFileSync(`/proc/${held.pid}/status`, 'utf8')
      within.notMatch(status, /^Uid:.*\b0\b/m)
      within.match(status, /^CapPrm:\s*0+[24]$/m)
      await letGo(held)
    },
  )

  await test.test(
    'a data directory of mode 0700 is opened to the group of Postgres alone',
    async (within) => {
      chmodSync(folder, 0o755)
      const dataDir = join(folder, 'shut')
      mkdirSync(dataDir, { mode: 0o700 })
      const held = await hold(within, join(dataDir, 'postgres'), script)
      within.match(readFileSync(`/proc/${held.pid}/status`, 'utf8'), /^CapPrm:\s*0+$/m)
      within.equal(statSync(dataDir).mode & 0o777, 0o710)
      within.equal(statSync(dataDir).gid, statSync(`/proc/${held.pid}`).gid)
      within.equal(statSync(join(dataDir, 'postgres')).mode & 0o777, 0o700)
      await letGo(held)
    },
  )

  await test.test('in a folder that all users may enter Postgres needs no capability', async (within) => {
    chmodSync(folder, 0o755)
    const held = await hold(within, join(folder, 'open'), script)
    const status = readFileSync(`/proc/${held.pid}/status`, 'utf8')
    within.notMatch(status, /^Uid:.*\b0\b/m)
    within.match(status, /^CapPrm:\s*0+$/m)
    await letGo(held)
  })

  const node = statSync(process.execPath).mode & 0o001 ? false : 'optional: others may not run this Node'
  await test.test(
    'an ordinary user and root may start on the same data in turn',
    { skip: node },
    async (within) => {
      chmodSync(folder, 0o777)
      for (const as of [NOBODY, {}, NOBODY]) {
        const held = await hold(within, join(folder, 'data-of-nobody'), script, as)
        await query(held.url, (sql) => sql`create table if not exists kept as select 1`)
        within.equal(statSync(`/proc/${held.pid}`).uid, NOBODY.uid)
        await letGo(held)
      }
    },
  )

  await test.test('a user without a name is told what Postgres needs', { skip: node }, async (within) => {
    const nameless = { uid: 54_321, gid: 0 }
    await within.rejects(hold(within, join(folder, 'data-of-nameless'), script, nameless), {
      message: /the user with uid 54321: add an entry to \/etc\/passwd/,
    })
  })
})

t.test('programs are started directly or through setpriv, or the error names the remedy', async (test) => {
  const folder = temporaryFolder(test)
  const open = join(folder, 'open')
  const shut = join(folder, 'shut')
  for (const path of [open, shut]) {
    mkdirSync(path)
    writeFileSync(join(path, 'program'), '')
    chmodSync(join(path, 'program'), 0o755)
  }
  chmodSync(folder, 0o755)
  chmodSync(shut, 0o700)
  const launch = (path: string, setpriv: string) =>
    launchAs(NOBODY, join(path, 'program'), ['-x'], [join(path, 'program')], setpriv)
  test.strictSame(launchAs(undefined, '/bin/true', ['-x'], [shut]), { file: '/bin/true', args: ['-x'] })
  test.strictSame(launch(open, ''), { file: join(open, 'program'), args: ['-x'], ...NOBODY })
  const privileged = launch(shut, '/usr/bin/setpriv')
  test.equal(privileged.file, '/usr/bin/setpriv')
  test.ok(privileged.args.includes('--reuid=65534'))
  test.strictSame(privileged.args.slice(-2), [join(shut, 'program'), '-x'])
  test.equal(privileged.uid, undefined)
  test.throws(() => launchAs(NOBODY, join(shut, 'program'), [], [shut], ''), {
    name: 'EmbeddedPostgresError',
    message: /may not enter .*shut: install setpriv/,
  })
  chmodSync(join(open, 'program'), 0o700)
  test.ok(
    launch(open, '/usr/bin/setpriv').args.includes('--ambient-caps=+dac_override'),
    'a program that only its owner may run',
  )
})

t.test('Postgres runs as the owner of a cluster and never as root', async (test) => {
  const account = chooseAccount(join(temporaryFolder(test), 'none'))
  if (root) test.not(account?.uid, 0)
  else test.equal(account, undefined)
})
