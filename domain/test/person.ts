import t from 'tap'
import { isPlaceholderId, makesLink, PERSON_KEY_TAGS, personId } from '../person.js'

t.test("a person is the event's user, else the linked user, else the anonymous id", async (t) => {
  t.equal(personId('u', 'a', 'l'), 'user:u')
  t.equal(personId('u', undefined, undefined), 'user:u')
  t.equal(personId(undefined, 'a', 'l'), 'user:l')
  t.equal(personId(null, 'a', null), 'anonymous:a')
  t.equal(personId('', 'a', ''), 'anonymous:a', 'as stored: an empty text is no id')
})

t.test('ids of the same text are different persons', async (t) => {
  t.not(personId('x', undefined, undefined), personId(undefined, 'x', undefined))
  t.not(PERSON_KEY_TAGS.user, PERSON_KEY_TAGS.anonymous)
})

t.test('ids that are programming accidents, such as `undefined`, link no one', async (t) => {
  const nilUuid = '00000000-0000-0000-0000-000000000000'
  for (const id of [
    'null',
    'undefined',
    'none',
    'nil',
    'nan',
    '0',
    'true',
    'false',
    '[object object]',
    nilUuid,
  ]) {
    t.ok(isPlaceholderId(id), id)
    t.ok(isPlaceholderId(id.toUpperCase()), id.toUpperCase())
    t.notOk(makesLink(id, 'u'))
    t.notOk(makesLink('a', id))
  }
  for (const id of [
    '',
    '1',
    '00',
    'nulls',
    ' null',
    'no',
    '[object Array]',
    nilUuid.replace(/0$/, '1'),
    'nuﬂ',
  ])
    t.notOk(isPlaceholderId(id), id)
  t.ok(makesLink('a', 'u'))
})
