#!/usr/bin/env bash
# Sends a batch of events with curl. You may run it again: each event has an insertId, so svc records it once.

curl -sS "${SVC_INGEST_URL:-http://127.0.0.1:8080}/v1/events" \
  -H "Authorization: Bearer $SVC_SERVER_KEY" -H 'Content-Type: application/json' -d '{"events": [
    {"event": "page_viewed", "anonymousId": "visitor-7", "insertId": "visit-7-1", "properties": {"path": "/pricing"}},
    {"event": "order_paid", "userId": "grace", "insertId": "order-1001-paid", "properties": {"total": 49}}]}'
