export { addPerson, changePerson, invitePerson, removePerson } from './change-people.js'
export { createMember, deleteMember, type Invited, inviteMember, updateMember } from './operations.js'
