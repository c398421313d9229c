import { DomainError } from '../domain-errors.js'

/** A refusal of the name for a violation of a unique name; other errors pass. Throws NAME_TAKEN. */
export function refuseTakenName(what: string, name: string): (error: unknown) => never {
  return (error) => {
    const constraint = error instanceof Error && Reflect.get(error, 'constraint_name')
    if (constraint !== `${what}s_name_key`) throw error
    throw new DomainError(
      'NAME_TAKEN',
      `The workspace has a${what === 'insight' ? 'n' : ''} ${what} named ${JSON.stringify(name)} already: choose another name`,
      [{ path: '/name', message: 'is taken' }],
    )
  }
}
