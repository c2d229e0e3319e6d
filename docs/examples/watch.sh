#!/bin/sh
# Starts a run and prints its success with nothing but curl (and sed, to read its answers).
set -eu
api="${ESPALIER_SERVER:-http://127.0.0.1:4500}/api/v1"
ask() { curl -sS --fail-with-body -H "authorization: Bearer $ESPALIER_KEY" -H 'content-type: application/json' "$@"; }
# the value behind "name": in one line of JSON
field() { echo "$told" | sed -n "s|.*\"$1\":\"\{0,1\}\([^\",}]*\).*|\1|p"; }

told=$(ask "$api/runs" -d '{
  "name": "from curl",
  "spec": {
    "environment": {"use": "bandit"},
    "algorithm": {"use": "starpo-s", "estimator": "group", "keepRatio": 0.5},
    "optimizer": {"learningRate": 2e-4},
    "steps": 4, "rollout": {"groups": 4, "members": 4}, "validation": {"every": 2, "episodes": 16}
  }
}') || { echo "$told" >&2; exit 1; }
run=$(echo "$told" | sed 's|.*"id":"\(run-[^"]*\)".*|\1|')
echo "run $run"

last=0
state=queued
while [ "$state" = queued ] || [ "$state" = assigned ] || [ "$state" = running ]; do
  sleep 1
  told=$(ask "$api/runs/$run") || { echo "$told" >&2; exit 1; }
  state=$(echo "$told" | sed 's|.*"state":"\([a-z]*\)".*|\1|')
  step=$(field step)
  if [ "$step" -gt "$last" ]; then
    echo "step $step  success $(field rollout/success_rate)"
    last=$step
  fi
done
echo "run $state"
