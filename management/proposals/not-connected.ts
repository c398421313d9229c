import { Refusal } from '../refusals.js'

/** What needs a repository is refused while there is none. */
export function repositoryNotConnected(): Refusal {
  return new Refusal(
    'REPOSITORY_NOT_CONNECTED',
    'The workspace has no repository connected, and this version cannot connect one yet',
  )
}
