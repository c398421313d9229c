import { spawnSync } from 'node:child_process'
import t from 'tap'

/** Runs a program and returns the lines that it logs to its standard error. */
function lines(program: string): Record<string, unknown>[] {
  const logger = new URL('../logger.js', import.meta.url).href
  const { stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', `import { createLogger } from ${JSON.stringify(logger)}\n${program}`],
    { encoding: 'utf8' },
  )
  return stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

t.test('repeated warnings are counted and not written', (t) => {
  const written = lines(`
    const logger = createLogger('info', 'test', 200)
    for (let i = 0; i < 5; i++) logger.warn({ i }, 'Log append failed: batch refused')
    logger.error({ i: 5 }, 'another thing')
    for (let i = 0; i < 2; i++) logger.info({ i }, 'a separate event')
    await new Promise((resolve) => setTimeout(resolve, 250))
    logger.warn({ i: 6 }, 'Log append failed: batch refused')
    logger.child({ stage: 'x' }).warn({ i: 7 }, 'Log append failed: batch refused')
  `)
  t.match(written, [
    { msg: 'Log append failed: batch refused', i: 0 },
    { msg: 'another thing', i: 5 },
    { msg: 'a separate event', i: 0 },
    { msg: 'a separate event', i: 1 },
    { msg: 'Log append failed: batch refused', i: 6, repeated: 4 },
  ])
  t.equal(written.length, 5)
  t.notOk(written.some(({ i, repeated }) => i === 0 && repeated !== undefined))
  t.end()
})

t.test('without a limit every line is written', (t) => {
  t.equal(
    lines(`
      const logger = createLogger('info', 'test')
      for (let i = 0; i < 5; i++) logger.warn('again')
      logger.error({ key: 'tsk_secret_x' }, 'hidden')
    `).length,
    6,
  )
  t.end()
})
