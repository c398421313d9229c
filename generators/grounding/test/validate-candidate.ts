import t from 'tap'
import { cleanUp } from '../../../variants/clean-up.js'
import { writeVariants } from '../../../variants/write.js'
import type { Candidate } from '../../port.js'
import * as sites from '../../test/support/sites.js'
import { batch, type Files } from '../../test/support/workspace.js'
import { validateCandidate } from '../validate-candidate.js'

/** Writes each file of a proposal, takes the experiment back, and returns what is left of it. */
function roundTrip(files: Files, { files: changed, variants }: Candidate): string[] {
  return changed.map(({ path, edits }) => {
    const text = files[path] ?? ''
    const helper = path.endsWith('.html')
      ? { scriptSrc: '/svc-experiments.js', stateSrc: '/_svc/state.js' }
      : { importPath: './svc-experiments.js' }
    const written = writeVariants({ path, text, experiment: { key: 'k', variants }, edits, helper })
    if (!written.ok) return JSON.stringify(written.problems)
    const file = { action: 'modify', regions: written.regions } as const
    const back = cleanUp({ path, text: written.text, file, experiment: 'k', shipped: null })
    return back.text === text && back.conflicts.length === 0 ? 'back' : `${path} comes back otherwise`
  })
}

t.test('a proposal can be written and removed again byte for byte', async (t) => {
  for (const [name, site] of Object.entries(sites)) {
    if (typeof site === 'function') continue
    const windows = Object.fromEntries(
      Object.entries(site).map(([path, text]) => [path, text.replaceAll('\n', '\r\n')]),
    )
    for (const files of [site, windows]) {
      const { proposals } = await batch(files)
      t.ok(proposals.length > 0, name)
      for (const one of proposals)
        t.ok(
          roundTrip(files, one).every((told) => told === 'back'),
          `${name}: ${one.name}`,
        )
    }
  }
})

t.test('on a site that renders on a server, nothing is chosen when a module is loaded', async (t) => {
  const { proposals } = await batch({
    'cart.html': sites.html('Cart', '<h1>Welcome</h1><div><label>Coupon <input name="coupon"></label></div>'),
  })
  const [real] = proposals
  if (real === undefined) throw new Error('nothing is proposed')
  const path = 'apps/shop/src/words.tsx'
  const edits = [{ find: "'Welcome'", replace: "'Hello'", variant: 'b' }]
  const outcome = async (packages: string, text = "export const title = 'Welcome'\n"): Promise<string> => {
    const read = async (wanted: string): Promise<string | null> =>
      wanted === path ? text : wanted === 'apps/shop/package.json' ? packages : null
    const result = await validateCandidate(
      { ...real, evidence: [], files: [{ path, edits }] },
      { read, mayChange: () => true },
    )
    return result?.message ?? 'ok'
  }
  t.equal(await outcome('{"dependencies":{"vite":"8"}}'), 'ok')
  const next = '{"dependencies":{"next":"16"}}'
  t.match(await outcome(next), 'when it is loaded')
  const data = "export const items = [{ icon: <Star />, title: 'Welcome' }]\n"
  t.match(await outcome(next, data), /in no component.*of the component that shows it/)
  const component = "export const Page = () => <Hero title={make('Welcome')}>{look(<Star />)}</Hero>\n"
  t.notMatch(await outcome(next, component), 'in no component')
})

t.test('an ungrounded candidate is dropped', async (t) => {
  const text = sites.html(
    'Cart',
    '<h1>Welcome</h1><div><label>Coupon <input name="coupon"></label></div><p>Invoices for people who work alone</p>',
  )
  const { proposals } = await batch({ 'cart.html': text })
  const [real] = proposals
  if (real === undefined) throw new Error('nothing is proposed')
  const told = async (
    change: Partial<Candidate>,
    now: string | null = text,
    mayChange = true,
  ): Promise<string> => {
    const result = await validateCandidate(
      { ...real, ...change },
      { read: async () => now, mayChange: () => mayChange },
    )
    return result?.reason ?? 'ok'
  }
  const edits = (find: string, replace: string, variant = 'b') => ({
    files: [{ path: 'cart.html', edits: [{ find, replace, variant }] }],
  })
  t.equal(await told({}), 'ok')
  t.equal(await told({}, null), 'file_missing')
  t.equal(await told({}, text, false), 'path_not_allowed')
  t.equal(
    await told({}, `${text}<div><label>Coupon <input name="coupon"></label></div>`),
    'not_grounded',
    'it stands twice',
  )
  t.equal(await told(edits('Invoices for', 'Bills for')), 'not_grounded', 'no whole unit')
  t.equal(await told(edits('Not there', 'Nor here')), 'not_grounded')
  t.equal(await told(edits('Welcome', `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2)}`)), 'secret')
  t.equal(
    await told({ files: [{ path: 'cart.html', edits: [{ find: 'Welcome', replace: 'Hello' }] }] }),
    'not_grounded',
    'no variant',
  )
})
