import t from 'tap'
import type { VerdictCode } from '../../../domain/statistics/index.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import { withDatabase } from '../../../postgres/test/support/database.js'
import { insertLearning, type LearningDecision } from '../../learnings/index.js'
import { readWorkspaceContext } from '../workspace-context.js'

const { sql } = await withDatabase(t)

t.test('a decision teaches what its results say', async (t) => {
  const workspaceId = newId()
  await sql`insert into workspaces (id, name, created_at) values (${workspaceId}, 'Taught', now())`
  const cases: readonly (readonly [LearningDecision, VerdictCode | undefined, 'won' | 'lost' | 'unclear'])[] =
    [
      ['ship', 'winner', 'won'],
      ['ship', 'undecided', 'unclear'],
      ['ship', 'harmed', 'unclear'],
      ['ship', 'no_data', 'unclear'],
      ['ship', undefined, 'unclear'],
      ['reject', 'loser', 'lost'],
      ['reject', 'harmed', 'lost'],
      ['reject', 'no_difference', 'lost'],
      ['reject', 'undecided', 'unclear'],
      ['reject', 'broken_split', 'unclear'],
      ['reject', undefined, 'unclear'],
      ['conclude', 'winner', 'unclear'],
    ]
  for (const [i, [decision, code]] of cases.entries()) {
    const experimentId = newId()
    await sql`
      insert into experiments (id, workspace_id, key, name, mechanism, notes, hypothesis, search_text, kind, test_type, status, priority,
        origin, variants, conversion_targets, surfaces, changes, created_at, updated_at)
      values (${experimentId}, ${workspaceId}, ${`case-${i}`}, 'A case', '', '', '', '', 'experiment', 'dom', 'concluded', 'low',
        'api', '[]', '[]', '[]', '[]', now(), now())`
    await sql.begin((tx) =>
      insertLearning(tx, {
        id: newId(),
        workspaceId,
        experimentId,
        experimentKey: `case-${i}`,
        title: 'A case',
        decision,
        variant: null,
        interpretation: 'As it was',
        evidence: code === undefined ? { results: null } : { results: { verdict: { code } } },
        evidenceHash: '',
        at: new Date(),
      }),
    )
  }
  await sql`update learnings set review_state = 'approved' where workspace_id = ${workspaceId}`
  const { lessons } = await readWorkspaceContext(sql, workspaceId, { withPending: true })
  const outcomes = new Map(lessons.map(({ key, outcome }) => [key, outcome]))
  for (const [i, [decision, code, outcome]] of cases.entries())
    t.equal(outcomes.get(`case-${i}`), outcome, `${decision} after ${code ?? 'no results'}`)
})
