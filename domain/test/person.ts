import t from 'tap'
import { PERSON_KEY_TAGS, personId } from '../person.js'

t.test('own user, else linked user, else anonymous id', async (t) => {
  t.equal(personId('u', 'a', 'l'), 'user:u')
  t.equal(personId('u', undefined, undefined), 'user:u')
  t.equal(personId(undefined, 'a', 'l'), 'user:l')
  t.equal(personId(null, 'a', null), 'anonymous:a')
  t.equal(personId('', 'a', ''), 'anonymous:a', 'as stored: an empty text is none')
})

t.test('ids of the same text are different persons', async (t) => {
  t.not(personId('x', undefined, undefined), personId(undefined, 'x', undefined))
  t.not(PERSON_KEY_TAGS.user, PERSON_KEY_TAGS.anonymous)
})
