import { ERRORS } from '../error-codes.js'

const ERROR_ROWS = Object.entries(ERRORS).map(
  ([code, { status, meaning, retryable }]) =>
    `| ${status} | \`${code}\` | ${meaning} | ${retryable ? 'yes' : 'no'} |`,
)

/** `info.description` of the OpenAPI document, in Markdown: what holds for every route. */
export const INTRODUCTION = `The management API of svc: experiments, learnings, funnels, events, identity and audit of a workspace.

**Begin** with \`GET /v1/me\`, which says whom a key acts as and what it may do; \`GET /v1/readiness\` says what its workspace still lacks. Every path below is under \`/v1\` on this server.

\`\`\`
curl -H "Authorization: Bearer $SVC_API_KEY" http://127.0.0.1:8081/v1/me
\`\`\`

**Keys.** Send \`Authorization: Bearer tsk_api_…\`. A key opens one workspace, reads everything in it and writes what its scopes allow (\`x-scope\`); a session token (\`tsk_sess_…\`) may do what its person may. Keys open paths under /me, /experiments, /learnings, /experiment-runs, /funnel, /readiness and /events only. Operators make them (\`npx svc admin key create\`); on its embedded stores \`npm start\` writes one to \`data/dev-keys.json\`. The reference and this document need none.

**Bodies** are JSON in UTF-8 up to 1 MiB, with at most 20,000 values nested at most 64 deep. Unknown fields and unknown query parameters are refused. So are U+0000 and lone surrogates in texts, and whole numbers beyond 9007199254740991, which could not be given back as they were sent. Lengths of texts count characters (code points).

**Errors** have one form, with a \`code\` to branch on and every offending place in \`details\`; the table below has every code. Every answer has an \`X-Request-Id\`.

**Retries.** Every POST takes an \`Idempotency-Key\`: for ten minutes the same key on the same path repeats the first answer (\`Idempotent-Replayed: true\`). Refusals are not kept. Answers with \`Retry-After\` can be tried again unchanged.

**Assignment.** Which variant a visitor gets is a contract frozen across all clients, an FNV-1a over UTF-16 code units: \`GET /reference/bucketing.json\` has its text and vectors. Sending events needs none of it; write your own only to that text and prove it by every vector.

**Caching.** A single resource has an \`ETag\`; \`If-None-Match\` gives 304. GET routes answer HEAD.

| Status | Code | Meaning | Retry unchanged |
|---|---|---|---|
${ERROR_ROWS.join('\n')}`
