import t from 'tap'
import { carriesOperation, cleanAuthor, commitMessage } from '../commit-message.js'

t.test('an operation joins the trailers of a message', (t) => {
  const line = 'Svc-Operation: e:1'
  t.equal(commitMessage('Subject', 'e:1'), `Subject\n\n${line}\n`)
  t.equal(commitMessage(' Subject\r\n\r\nText\0\n\n', 'e:1'), `Subject\n\nText\n\n${line}\n`)
  t.equal(
    commitMessage('Subject\n\nText\n\nCo-authored-by: A <a@b>', 'e:1'),
    `Subject\n\nText\n\nCo-authored-by: A <a@b>\n${line}\n`,
  )
  t.equal(commitMessage('Fix: it', 'e:1'), `Fix: it\n\n${line}\n`, 'a subject is no trailer')
  t.equal(commitMessage('', 'e:1'), `e:1\n\n${line}\n`)
  for (const bad of ['', 'a b', 'a\nb', 'x'.repeat(101)])
    t.throws(() => commitMessage('Subject', bad), { name: 'RepositoryError', message: /cannot be named/ })
  t.end()
})

t.test('an operation is found in what a squash makes of a message', (t) => {
  t.equal(carriesOperation('Squashed:\n\n    Subject\n    \n    Svc-Operation: e:1\r\n', 'e:1'), true)
  t.equal(carriesOperation('Subject\n\nSvc-Operation: e:10\n', 'e:1'), false)
  t.equal(carriesOperation('About Svc-Operation: e:1', 'e:1'), false)
  t.end()
})

t.test('an author has the form that git accepts', (t) => {
  t.same(cleanAuthor({ name: ' Ada\n<Lovelace>. ', email: '<ada@example.com>' }), {
    name: 'Ada Lovelace',
    email: 'ada@example.com',
  })
  t.same(cleanAuthor({ name: '', email: '\n' }), { name: 'svc', email: 'svc@localhost' })
  t.end()
})
