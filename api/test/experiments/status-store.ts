import t from 'tap'
import { DomainError } from '../../../management/domain-errors.js'
import { findStatus } from '../../../management/experiments/find-status.js'
import { withApi } from '../support/api.js'
import { putExperiment } from '../support/experiments.js'

const api = await withApi(t)

t.test(
  'concurrent look-ups by id and by key return the right experiment and none of another workspace',
  async (t) => {
    const [mine, other] = [await api.workspace(), await api.workspace('Other')]
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, n) => putExperiment(api, mine, 'running', { key: `mine-${n}` })),
    )
    const theirs = await putExperiment(api, other, 'paused', { key: 'mine-0' })
    const ask = async (workspaceId: string, reference: string) => {
      try {
        return (await findStatus(api.sql, workspaceId, reference)).id
      } catch (error) {
        return error instanceof DomainError ? error.code : error
      }
    }
    const asked: [string, string, unknown][] = ids.flatMap((id, n) => [
      [mine.id, id, id],
      [mine.id, `mine-${n}`, id],
      [other.id, id, 'NOT_FOUND'],
      [mine.id, id.toUpperCase(), id],
      [other.id, 'mine-0', theirs],
      [mine.id, `none-${n}`, 'NOT_FOUND'],
      [mine.id, theirs, 'NOT_FOUND'],
    ])
    // More than fit into one query.
    const all = [...asked, ...asked, ...asked]
    t.strictSame(
      await Promise.all(all.map(([workspaceId, reference]) => ask(workspaceId, reference))),
      all.map(([, , expected]) => expected),
    )
  },
)
