import { spawnSync } from 'node:child_process'
import t from 'tap'
import { startWorkspace } from '../../test/support/workspace.js'

/*
 * The scripts of `svc completion` in the shells that they are for, against a running service.
 */

const FUNNEL = 'Visit to "order" & more'

/** How to ask each shell for its candidates, one a line. The last word is still being typed. */
const SHELLS: Readonly<
  Record<string, (words: readonly string[]) => { readonly args: readonly string[]; readonly offered: string }>
> = {
  bash: (words) => ({
    args: [
      '--norc',
      '-c',
      `eval "$(svc completion bash)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _svc; printf '%s\\n' "\${COMPREPLY[@]}"`,
      'bash',
      ...words,
    ],
    // As it goes into the line.
    offered: FUNNEL.replaceAll(/[ "&]/g, '\\$&'),
  }),
  zsh: (words) => ({
    args: [
      '-f',
      '-c',
      `autoload -Uz compinit; compinit -u -D; eval "$(svc completion zsh)"
      compadd() { print -rl -- "\${(@P)2}" }
      words=("$@"); CURRENT=$#; _svc`,
      'zsh',
      ...words,
    ],
    offered: FUNNEL,
  }),
  fish: (words) => ({
    args: ['--no-config', '-c', 'svc completion fish | source; complete -C $argv[1]', words.join(' ')],
    offered: FUNNEL,
  }),
}

t.test('each shell completes commands, options and names', async (t) => {
  const workspace = await startWorkspace()
  t.teardown(() => workspace.stop())
  const key = await workspace.put('running')
  await workspace.sh(
    `cat > f.json <<'END'
{ "funnels": [{ "name": ${JSON.stringify(FUNNEL)}, "steps": [{ "eventName": "visit" }] }] }
END
svc funnels apply f.json`,
  )
  for (const [shell, ask] of Object.entries(SHELLS)) {
    const there = spawnSync(shell, ['-c', 'true']).error === undefined
    const skip = there ? false : `optional: no ${shell} on this machine (Debian: apt-get install ${shell})`
    await t.test(shell, { skip }, async (t) => {
      const offers = (...words: readonly string[]): string[] => {
        const { status, stdout, stderr } = spawnSync(shell, ask(words).args, {
          cwd: workspace.folder,
          env: { ...workspace.environment },
          encoding: 'utf8',
        })
        t.equal(stderr, '')
        t.equal(status, 0)
        // fish prints a description of the candidate behind a tab.
        return stdout.split('\n').map((line) => line.replace(/\t.*/, ''))
      }
      const has = (found: readonly string[], wanted: string): void => {
        t.ok(found.includes(wanted), `${wanted} is among ${found.join(' ')}`)
      }
      has(offers('svc', 'exper'), 'experiments')
      has(offers('svc', 'experiments', 'sh'), 'show')
      has(offers('svc', 'experiments', 'show', ''), key)
      has(offers('svc', 'experiments', 'list', '--'), '--status')
      has(offers('svc', 'funnels', 'query', ''), ask([]).offered)
    })
  }
})
