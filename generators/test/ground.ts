import fc from 'fast-check'
import t from 'tap'
import { cleanUp } from '../../variants/clean-up.js'
import { writeVariants } from '../../variants/write.js'
import { ground } from '../ground.js'
import { analyse } from '../heuristic/analyse.js'
import { candidateOf } from '../heuristic/candidate.js'
import type { Candidate } from '../port.js'
import { page, wholeBatch } from './support/workspace.js'

const PARTS: readonly string[] = [
  '<h1>Welcome</h1>\n<p>Invoices for people who work alone</p>',
  '<section class="hero"><h2>For your team and for you</h2><a class="btn" href="/j">Get started</a></section>',
  '<form>\n  <input id="a" name="email" type="text" placeholder="Email">\n  <input id="b" type="password" placeholder="Password" minlength="8">\n  <input id="c" type="password" placeholder="Again">\n  <button>Submit</button>\n  <button type="button">Sign up with Google</button>\n</form>',
  '<div>\n<div><h3>One</h3><p>$1</p><a class="btn" href="/1">Buy now</a></div>\n<div><h3>Two</h3><p>$2</p><a class="btn" href="/2">Buy now</a></div>\n<div><h3>Six</h3><p>$6</p><a class="btn" href="/6">Buy now</a></div>\n</div>',
  '<p>No credit card required</p>',
  '<p>Trusted by 900 teams</p>',
  '<section class="testimonials"><h2>What they say of it</h2><p>It is good for us</p></section>',
  '<div><h3>Calendar</h3><a href="/c">Learn more</a></div>',
  '<div><p>No results found</p></div>',
]

const dialects: Readonly<Record<string, (body: string) => string>> = {
  'a.html': (body) => page(body),
  'src/A.vue': (body) => `<template>\n<div>\n${body}\n</div>\n</template>\n`,
  'src/A.svelte': (body) => `<main>\n${body}\n</main>\n`,
  'src/A.tsx': (body) =>
    `export const A = () => (\n<main>\n${body
      .replaceAll('class=', 'className=')
      .replaceAll('minlength="8"', 'minLength={8}')
      .replace(/(<input[^>]*)>/g, '$1 />')}\n</main>\n)\n`,
}

t.test('every candidate can be written, and taken back byte for byte', async (t) => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(dialects)),
      fc.shuffledSubarray([...PARTS], { minLength: 2 }),
      fc.boolean(),
      async (path, parts, windows) => {
        const lines = (dialects[path] ?? page)(parts.join('\n'))
        const text = windows ? lines.replaceAll('\n', '\r\n') : lines
        const findings = analyse(path, text, 'en')
        if (findings === null) throw new Error('it is read')
        for (const draft of findings.drafts) {
          if (draft.needsClass !== undefined) continue
          const candidate = candidateOf(draft, [], { pages: 0, sent: [] })
          const result = await ground(candidate, { read: async () => text, mayChange: () => true })
          if (!result.ok) throw new Error(`${draft.pattern}: ${result.message}`)
          seen.add(draft.pattern)
          const experiment = { key: 'k', variants: candidate.variants }
          const helper = path.endsWith('.html')
            ? { scriptSrc: '/svc-experiments.js' }
            : { importPath: './svc-experiments.js' }
          const edits = candidate.files[0]?.edits ?? []
          const written = writeVariants({ path, text, experiment, edits, helper })
          if (!written.ok) throw new Error(JSON.stringify(written.problems))
          const back = cleanUp({
            path,
            text: written.text,
            file: { action: 'modify', regions: written.regions },
            experiment: 'k',
            shipped: null,
          })
          if (back.text !== text || back.conflicts.length > 0)
            throw new Error(`${draft.pattern} comes back otherwise`)
        }
      },
    ),
    { numRuns: 40 },
  )
  t.ok(seen.size >= 6, [...seen].join(', '))
})

t.test('what does not stand on the code is dropped', async (t) => {
  const text = page('<h1>Welcome</h1><p>Invoices for people who work alone</p><p>One more of the site</p>')
  const { proposals } = await wholeBatch({ 'a.html': text })
  const [real] = proposals
  if (real === undefined) throw new Error('nothing is proposed')
  const told = async (
    change: Partial<Candidate>,
    now: string | null = text,
    mayChange = true,
  ): Promise<string> => {
    const result = await ground({ ...real, ...change }, { read: async () => now, mayChange: () => mayChange })
    return result.ok ? 'ok' : result.reason
  }
  const edits = (find: string, replace: string, variant = 'b') => ({
    files: [{ path: 'a.html', edits: [{ find, replace, variant }] }],
  })
  t.equal(await told({}), 'ok')
  t.equal(await told({}, null), 'file_missing')
  t.equal(await told({}, text, false), 'path_not_allowed')
  t.equal(await told({}, `${text}<p>Welcome</p>`), 'not_grounded', 'it stands twice')
  t.equal(await told(edits('Invoices for', 'Bills for')), 'not_grounded', 'no whole unit')
  t.equal(await told(edits('Not there', 'Nor here')), 'not_grounded')
  t.equal(await told(edits('Welcome', `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2)}`)), 'secret')
  t.equal(
    await told({ files: [{ path: 'a.html', edits: [{ find: 'Welcome', replace: 'Hello' }] }] }),
    'not_grounded',
    'no variant',
  )
})
