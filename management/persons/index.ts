export { type PersonKeys, personKeysOf } from './person-keys.js'
export { findPerson, type PersonDetail, type PersonSummary, searchPersons } from './persons.js'
