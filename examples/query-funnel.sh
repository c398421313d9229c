#!/usr/bin/env bash
# Queries a funnel that is not saved: who saw a page and then paid, by day.

curl -sS "${SVC_API_URL:-http://127.0.0.1:8081}/v1/funnel/query" \
  -H "Authorization: Bearer $SVC_API_KEY" -H 'Content-Type: application/json' -d '{
    "steps": [{"eventName": "page_viewed"}, {"eventName": "order_paid"}], "interval": "day"}'
