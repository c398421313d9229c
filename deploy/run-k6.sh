#!/bin/sh
# Runs the load test of the compose profile with the keys from load-keys.sh.
set -eu
SVC_SERVER_KEY=$(cat /keys/server_key)
SVC_API_KEY=$(cat /keys/api_key)
export SVC_SERVER_KEY SVC_API_KEY
exec k6 run /k6/funnels.js
