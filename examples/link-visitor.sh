#!/usr/bin/env bash
# Links a visitor to a user without an event, for example at sign-in. What visitor-7 did counts as grace's.

curl -sS "${SVC_INGEST_URL:-http://127.0.0.1:8080}/v1/alias" \
  -H "Authorization: Bearer $SVC_SERVER_KEY" -H 'Content-Type: application/json' \
  -d '{"anonymousId": "visitor-7", "userId": "grace"}'
