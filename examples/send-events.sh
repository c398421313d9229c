#!/usr/bin/env bash
# Sends a batch of events with curl. You may run it again: each event has an insertId, so svc records it once.

curl -sS "${SVC_INGEST_URL:-http://127.0.0.1:8080}/v1/events" \
  -H "Authorization: Bearer $SVC_SERVER_KEY" -H 'Content-Type: application/json' -d '{"events": [
    {"event": "page_viewed", "anonymousId": "visitor-7", "insertId": "019c2f4e-8a31-7d52-9b6e-4c1d0f7a2e93", "properties": {"path": "/pricing"}},
    {"event": "order_paid", "userId": "grace", "insertId": "019c2f4e-8a35-7f08-8e17-b2a95d6c3f40", "properties": {"total": 49}}]}'
