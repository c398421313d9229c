import fc from 'fast-check'
import t from 'tap'
import { withDatabase } from '../../postgres/test/support/database.js'
import { cases } from '../../test/support/cases.js'
import { foldForSearch, searchCondition } from '../search.js'

const { sql } = await withDatabase(t)

async function finds(texts: readonly string[], term: string): Promise<boolean> {
  const rows = await sql`
    select 1 from (select ${foldForSearch(texts)}::text as folded) as t where ${searchCondition(sql, 't.folded', term)}`
  return rows.length === 1
}

t.test('a term matches literally, without letter case, and not across two texts', async (t) => {
  t.ok(await finds(['Größe', 'x'], 'GRÖSSE'))
  t.ok(await finds(['ΟΔΟΣ ΟΔΟΣΑ'], 'οδοσ'))
  t.ok(await finds(['50% off_now \\ "it\'s"'], '50% OFF_NOW \\ "IT\'S"'))
  t.ok(await finds(['İstanbul'], 'İSTANBUL'))
  for (const sign of ['%', '_', '\\', "'", '%%%', '\\%', '__']) {
    t.notOk(await finds(['abc def'], sign), sign)
    t.ok(await finds([`abc${sign}def`], sign), sign)
    t.ok(await finds([`abc${sign}def`], `ABC${sign}d`), sign)
    t.notOk(await finds(['abcxdef'], `abc${sign}d`), sign)
  }
  t.notOk(await finds(['ab', 'cd'], 'bc'))
  t.notOk(await finds(['abc', 'def'], 'abc\u001fdef'))
  t.notOk(await finds(['abc def'], 'abc\u001fdef'), 'the sign between them is no blank')
  t.notOk(await finds(['abc\u001fdef'], 'abc def'))
  t.notOk(await finds(['abcAdef'], 'abc\u001fdef'), 'nor its replacement character')
  t.notOk(await finds(['abc\u001fdef'], 'cad'))
  for (const sign of ['\u001f', 'abc\u001fd', 'C\u001fD'])
    t.ok(await finds(['abc\u001fdef', 'x'], sign), JSON.stringify(sign))
})

t.test('every part of a text is found in any letter case', async () => {
  const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(word, word, word, async (before, term, after) => {
      for (const form of [term, term.toUpperCase(), term.toLowerCase()])
        if (!(await finds([before + term + after], form))) return false
      return true
    }),
    { numRuns: cases(200) },
  )
})
