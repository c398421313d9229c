import t from 'tap'
import { messageOf } from '../message-of.js'

t.test('there is always something to say', async (t) => {
  t.equal(messageOf(new Error('the disk is full')), 'the disk is full')
  t.equal(messageOf('thrown as it is'), 'thrown as it is')
  t.equal(messageOf(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })), 'ECONNREFUSED')
  t.equal(messageOf(new RangeError()), 'RangeError')
})
