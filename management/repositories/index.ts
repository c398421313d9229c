export { askRepository, repositoryDomainError, repositoryNotConnected } from './ask-repository.js'
export {
  type ConnectedRepository,
  connectedRepositories,
  type Repositories,
} from './connected-repositories.js'
