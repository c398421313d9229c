import { readVersion } from '../../../runtime/version.js'
import { ERRORS } from '../http-error.js'

const ERROR_ROWS = Object.entries(ERRORS).map(
  ([code, { status, meaning, retryable }]) =>
    `| ${status} | \`${code}\` | ${meaning} | ${retryable ? 'yes' : 'no'} |`,
)

/** `info.description` of the OpenAPI document, in Markdown: what holds for every route. */
export const INTRODUCTION = `The management API of svc: experiments, learnings, funnels, events, identity and audit of a workspace.

**Begin** with \`GET /v1/me\`, which shows the person and the scopes of a key; \`GET /v1/readiness\` shows what its workspace lacks. All paths are under \`/v1\` on this server.

\`\`\`
curl -H "Authorization: Bearer $SVC_API_KEY" http://127.0.0.1:8081/v1/me
\`\`\`

**Keys.** Send \`Authorization: Bearer tsk_api_…\`. A key belongs to one workspace, reads everything in it and writes what its scopes allow (\`x-scope\`); a session token (\`tsk_sess_…\`) may do what its person may. The console sends its session as a cookie instead; writes by cookie need the header \`X-Svc-Console\`. Keys are accepted under /me, /experiments, /learnings, /experiment-runs, /funnel, /readiness and /events only. People create them in the console, with \`POST /keys\` and a session, or operators with \`npx svc admin key create\`; with embedded stores \`npm start\` writes one to \`data/dev-keys.json\`. The reference and this document need no key.

**Client libraries** send events: \`npm install http://127.0.0.1:8081/reference/svc-events.tgz\` for Node, \`pip install http://127.0.0.1:8081/reference/svc_events-${readVersion()}-py3-none-any.whl\` for Python, both in the version of this service.

**Bodies** are JSON in UTF-8 up to 1 MiB, with at most 20,000 values and 64 levels. Unknown fields and query parameters are refused. So are U+0000 and unpaired surrogates in texts, and whole numbers beyond 9007199254740991, which could not be stored exactly. Lengths count characters (code points).

**Errors** have one form: a \`code\` for programs, and every offending field in \`details\`. The table below has all codes. Every response has an \`X-Request-Id\`.

**Retries.** Every POST accepts an \`Idempotency-Key\`: for ten minutes the same key on the same path repeats the first response (\`Idempotent-Replayed: true\`). Errors are not stored. A response with \`Retry-After\` may be retried unchanged.

**Assignment.** The variant of a visitor is a contract shared by all clients, an FNV-1a hash over UTF-16 code units: \`GET /reference/bucketing.json\` has its text and test vectors. Sending events does not need it; verify an implementation of your own against every vector.

**Caching.** A single resource has an \`ETag\`; \`If-None-Match\` gives 304. GET routes answer HEAD.

**Rates.** A key or session may send 500 requests per second, a workspace 1,000, with a burst of two seconds; more is a 429 with \`Retry-After\` and \`RateLimit-*\`. Requests without a valid key count per address.

**Concurrent edits.** Send that \`ETag\` as \`If-Match\` with a write of the resource: if somebody has changed it since, the write is refused with 412 and changes nothing. \`*\` matches any state. New measurements of an experiment are no change.

| Status | Code | Meaning | Retry unchanged |
|---|---|---|---|
${ERROR_ROWS.join('\n')}`
