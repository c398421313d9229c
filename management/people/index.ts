export { addPerson, changePerson, invitePerson, lockPerson, removePerson } from './change-people.js'
export { createMember, deleteMember, type Invited, inviteMember, updateMember } from './operations.js'
