import t from 'tap'
import { githubHost } from '../github/host.js'
import { FILES, testContract } from './support/contract.js'
import { startGitHubServer } from './support/github-server.js'

t.test('GitHub meets the contract of hosts', (t) =>
  testContract(t, async (t) => {
    const server = await startGitHubServer(t, { files: FILES })
    const { repository } = server
    const connect = () =>
      githubHost({ repository: server.fullName, token: server.token, baseUrl: server.url, branch: 'main' })
    return {
      host: connect(),
      other: connect(),
      people: {
        ...repository,
        bringIn: (branch, how) => server.merge(server.numberOf(branch), how),
        close: (branch) => server.closePullRequest(server.numberOf(branch)),
      },
    }
  }),
)
