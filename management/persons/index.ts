export { type PersonKeys, personKeysOf } from './person-keys.js'
export {
  type EventPerson as PersonSummary,
  findEventPerson as findPerson,
  type PersonDetail,
  searchPersons,
} from './persons.js'
