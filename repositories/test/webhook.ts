import { createHmac } from 'node:crypto'
import t from 'tap'
import { verifyWebhook, webhookHint } from '../github/webhook.js'

t.test('a signature covers the exact bytes of the body', (t) => {
  // The example in GitHub's documentation.
  const secret = "It's a Secret to Everybody"
  const body = Buffer.from('Hello, World!')
  const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
  t.equal(verifyWebhook(secret, body, signature), true)
  t.equal(verifyWebhook(secret, Buffer.from('Hello, World'), signature), false)
  t.equal(verifyWebhook('another', body, signature), false)
  t.equal(verifyWebhook('', body, `sha256=${createHmac('sha256', '').update(body).digest('hex')}`), false)
  for (const bad of [
    undefined,
    '',
    'sha256=',
    signature.slice(0, -1),
    signature.slice(7),
    `sha1=${signature.slice(7)}`,
  ])
    t.equal(verifyWebhook(secret, body, bad), false, String(bad))
  t.end()
})

t.test('a webhook delivery names its pull request or branch', (t) => {
  const hint = (event: string | undefined, payload: unknown) =>
    webhookHint(event, Buffer.from(JSON.stringify(payload)))
  const repository = { full_name: 'acme/site' }
  t.same(
    hint('pull_request', {
      action: 'closed',
      number: 7,
      pull_request: { head: { ref: 'svc/x' } },
      repository,
    }),
    {
      kind: 'pull_request',
      repository: 'acme/site',
      branch: 'svc/x',
      number: 7,
    },
  )
  t.match(hint('push', { ref: 'refs/heads/main', deleted: false, repository }), {
    kind: 'push',
    branch: 'main',
  })
  t.match(hint('push', { ref: 'refs/heads/svc/x', deleted: true }), {
    kind: 'branch_deleted',
    branch: 'svc/x',
  })
  t.equal(hint('push', { ref: 'refs/tags/v1' }), undefined)
  t.match(hint('delete', { ref: 'svc/x', ref_type: 'branch' }), { kind: 'branch_deleted', branch: 'svc/x' })
  t.equal(hint('delete', { ref: 'v1', ref_type: 'tag' }), undefined)
  t.match(hint('ping', {}), { kind: 'ping', repository: undefined })
  t.equal(hint('star', {}), undefined)
  t.equal(hint(undefined, {}), undefined)
  t.equal(webhookHint('push', Buffer.from('{')), undefined)
  t.equal(hint('push', { ref: { nested: true } }), undefined)
  t.match(hint('pull_request', null), { kind: 'pull_request', number: undefined })
  t.end()
})
