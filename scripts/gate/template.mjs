// A migrated database that test files copy (see `postgres/test/support/template.ts`): created once, named in
// TEST_POSTGRES, removed at the end.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compiled } from '../folders.mjs'

export function offerTemplate() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-template-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const program = compiled('postgres/test/support/template.ts')
  execFileSync(process.execPath, [program, folder], { stdio: 'inherit' })
  process.env.TEST_POSTGRES = folder
}
