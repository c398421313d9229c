import { Type } from '@sinclair/typebox'
import type { Delivery } from '../http/openapi/openapi.js'

/** Webhooks that the API receives, for the OpenAPI document. */
export const deliveries: readonly Delivery[] = [
  {
    path: '/hooks/github/{workspaceId}',
    operationId: 'receiveGitHubDelivery',
    summary: 'Receive a delivery of GitHub',
    description:
      'Set this address in a webhook of the repository, with the secret it was connected with, the content type `application/json` and the events *Pull requests*, *Pushes* and *Branch or tag deletion*. ' +
      'A delivery is a hint: svc asks the host for the state of its pull requests at once. Without deliveries it does so every minute.',
    params: Type.Object({
      workspaceId: Type.String({
        format: 'uuid',
        description: 'The workspace of the repository',
      }),
    }),
    headers: [
      {
        name: 'X-Hub-Signature-256',
        description: '`sha256=` and the HMAC-SHA-256 of the body under the secret, in hexadecimal',
        schema: Type.String({ pattern: '^sha256=[0-9a-fA-F]{64}$' }),
      },
      {
        name: 'X-GitHub-Event',
        description:
          'Kind of event; others than `pull_request`, `push` and `delete` are accepted and ignored',
        schema: Type.String(),
      },
    ],
    body: Type.Object(
      {
        number: Type.Optional(Type.Integer({ description: 'Of the pull request' })),
        pull_request: Type.Optional(
          Type.Object({ head: Type.Object({ ref: Type.String({ description: 'Its branch' }) }) }),
        ),
        ref: Type.Optional(Type.String({ description: 'The ref that was pushed or deleted' })),
        repository: Type.Optional(Type.Object({ full_name: Type.String() })),
      },
      { description: 'As GitHub documents it for the event; other fields are ignored' },
    ),
    bodyExample: {
      number: 1,
      pull_request: { head: { ref: 'svc/shorter-checkout' } },
      repository: { full_name: 'acme/site' },
    },
    accepted: 'The signature is right',
    errors: ['UNAUTHENTICATED', 'PAYLOAD_TOO_LARGE', 'INTERNAL', 'UNAVAILABLE'],
  },
]
