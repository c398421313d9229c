#!/usr/bin/env bash
# Declares an experiment from a file and starts it. svc must have received the target's event before.

npx svc experiments create examples/checkout.yaml
npx svc experiments start one-page-checkout
