import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../runtime/package-root.js'
import { script } from './support/scripts.js'

const { tiers } = await script<{ tiers(): { fast: string[] } }>('gate/suites.mjs')
const { fast } = tiers()
const root = packageRoot()

/** The section of a record that names the tests which guard it. */
const guardOf = (text: string): string =>
  /^## Guarded by([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(text)?.[1] ?? ''

for (const file of readdirSync(join(root, 'docs/decisions')).sort())
  t.test(`${file} is guarded by a test of every change`, async (t) => {
    const guard = guardOf(readFileSync(join(root, 'docs/decisions', file), 'utf8'))
    const named = [...guard.matchAll(/`([\w-]+\/[\w./-]*)`/g)].map(([, path = '']) => path)
    t.same(
      named.filter((path) => !existsSync(join(root, path))),
      [],
      'what it names is there',
    )
    t.ok(
      named.some((path) => fast.includes(path)),
      `none of ${named.join(', ') || 'nothing'} is in the fast tier`,
    )
  })
