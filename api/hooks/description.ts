import { Type } from '@sinclair/typebox'
import type { Delivery } from '../http/openapi/openapi.js'

/** Webhooks that the API receives, for the OpenAPI document. */
export const deliveries: readonly Delivery[] = [
  {
    path: '/hooks/github/{workspaceId}',
    operationId: 'receiveGitHubDelivery',
    summary: 'Take a delivery of GitHub',
    description:
      'The address to give a webhook of the repository, with the secret that it was connected with, the content type `application/json` and the events *Pull requests*, *Pushes* and *Branch or tag deletion*. ' +
      'A delivery is a hint: the host is asked at once how the pull requests stand, and what it says then counts. What comes with no delivery is seen within a minute.',
    params: Type.Object({
      workspaceId: Type.String({
        format: 'uuid',
        description: 'The workspace that the repository is connected to',
      }),
    }),
    headers: [
      {
        name: 'X-Hub-Signature-256',
        description:
          '`sha256=` and the HMAC-SHA-256 of the body as it is sent, in hexadecimal, under the secret',
        schema: Type.String({ pattern: '^sha256=[0-9a-fA-F]{64}$' }),
      },
      {
        name: 'X-GitHub-Event',
        description:
          'What it is about; others than `pull_request`, `push` and `delete` are taken and change nothing',
        schema: Type.String(),
      },
    ],
    body: Type.Object(
      {
        number: Type.Optional(Type.Integer({ description: 'Of the pull request' })),
        pull_request: Type.Optional(
          Type.Object({ head: Type.Object({ ref: Type.String({ description: 'Its branch' }) }) }),
        ),
        ref: Type.Optional(Type.String({ description: 'Of a push, or what was deleted' })),
        repository: Type.Optional(Type.Object({ full_name: Type.String() })),
      },
      { description: 'As GitHub documents it for the event; other fields are not looked at' },
    ),
    bodyExample: {
      number: 1,
      pull_request: { head: { ref: 'svc/shorter-checkout' } },
      repository: { full_name: 'acme/site' },
    },
    accepted: 'It was signed as it should be',
    errors: ['UNAUTHENTICATED', 'PAYLOAD_TOO_LARGE', 'INTERNAL', 'UNAVAILABLE'],
  },
]
