import { createHash } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { LruCache } from '../../../../runtime/concurrency/lru-cache.js'
import { Code } from '../code.js'

const idOf = (text: string): string => createHash('sha1').update(text).digest('hex')

function codeOf(texts: readonly string[], cache: LruCache<string>, size = (text: string) => text.length) {
  const blobs = new Map(texts.map((text) => [idOf(text), Buffer.from(text)]))
  const asked: string[] = []
  const shares: number[] = []
  const files = texts.map((text, n) => ({ path: `f${n}.html`, blobId: idOf(text), size: size(text) }))
  const read = async (ids: readonly string[]) => {
    asked.push(...ids)
    return ids.map((id) => blobs.get(id) ?? null)
  }
  return {
    code: new Code(
      files,
      (path) => !path.startsWith('aside/'),
      read,
      cache,
      (share) => shares.push(share),
    ),
    asked,
    shares,
  }
}

async function allOf(code: Code): Promise<string[]> {
  const found: string[] = []
  for await (const { path, text } of code.files()) found.push(`${path} ${text}`)
  return found
}

t.test('every file is returned once and in order, and its content is read once', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ maxLength: 20 }), { maxLength: 1_000 }),
      fc.integer({ min: 0, max: 3_000_000 }),
      async (all, bytes) => {
        const texts = all.map((text) => text.replaceAll('\0', '').toLowerCase())
        const cache = new LruCache<string>(10_000_000)
        const { code, asked, shares } = codeOf(texts, cache, () => bytes)
        const expected = texts.map((text, n) => `f${n}.html ${text}`)
        t.strictSame(await allOf(code), expected)
        t.equal(new Set(asked).size, asked.length)
        t.equal(shares.at(-1), 1)
        const again = codeOf(texts, cache)
        t.strictSame(await allOf(again.code), expected)
        t.strictSame(again.asked, [], 'what is known is not asked for again')
      },
    ),
    { numRuns: 20 },
  )
})

t.test('files that are not text are left out and read as null', async (t) => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 1\n`
  const { code } = codeOf(['<p>a</p>', 'a\0b', pointer], new LruCache(1_000_000))
  t.strictSame(await allOf(code), ['f0.html <p>a</p>'])
  t.equal(await code.read('f1.html'), null)
  t.equal(await code.read('other.html'), null)
  t.equal(await code.read('f0.html'), '<p>a</p>')
})

t.test('a file that was not in the first window is read on request', async (t) => {
  const files = ['aside/a.html', 'b.html'].map((path) => ({ path, blobId: path, size: 1 }))
  const read = async (ids: readonly string[]) => ids.map((id) => Buffer.from(id))
  const code = new Code(
    files,
    (path) => path === 'b.html',
    read,
    new LruCache(1_000),
    () => {},
  )
  t.strictSame(await allOf(code), ['b.html b.html'])
  t.ok(code.has('aside/a.html'))
  t.equal(await code.read('aside/a.html'), 'aside/a.html')
})

t.test('a failure to read rejects the call that awaits the files', async (t) => {
  const files = Array.from({ length: 900 }, (_, n) => ({ path: `f${n}`, blobId: `${n}`, size: 1 }))
  let times = 0
  const read = async (ids: readonly string[]) => {
    if (++times > 1) throw new Error('gone')
    return ids.map(() => Buffer.from('a'))
  }
  await t.rejects(
    allOf(
      new Code(
        files,
        (path) => !path.startsWith('aside/'),
        read,
        new LruCache(1_000),
        () => {},
      ),
    ),
    /gone/,
  )
})
