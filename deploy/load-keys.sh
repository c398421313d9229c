#!/bin/sh
# Creates a workspace for a load test and writes its server key and API key to /keys.
set -eu
svc() {
  node dist/cli/main.js "$@" --json
}
field() {
  node -p "JSON.parse(require('node:fs').readFileSync(0, 'utf8')).$1"
}
workspace=$(svc admin workspace create --name load | field id)
svc admin key create --type server --name load --workspace "$workspace" | field key > /keys/server_key
svc admin key create --type api --name load --scopes funnels.manage --workspace "$workspace" | field key > /keys/api_key
