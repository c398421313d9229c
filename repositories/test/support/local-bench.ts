import type { Test } from 'tap'
import { localHost } from '../../local/host.js'
import { FILES, testContract } from './contract.js'
import { makeRepository, type RepositoryOptions } from './git-repository.js'

/** Runs the contract on a local repository. */
export async function testLocalContract(t: Test, options: RepositoryOptions): Promise<void> {
  await testContract(t, async (t) => {
    const repository = makeRepository(t, { ...options, files: FILES })
    const connect = () => localHost({ path: repository.path, branch: 'main' })
    return {
      host: connect(),
      other: connect(),
      people: { ...repository, close: (branch) => repository.deleteBranch(branch) },
    }
  })
}
