#!/bin/sh
# Starts a run and prints its success with nothing but curl (and sed, to read its answers).
set -eu
api="${ESPALIER_SERVER:-http://127.0.0.1:4500}/api/v1"
ask() { curl -sS --fail-with-body -H "authorization: Bearer $ESPALIER_KEY" -H 'content-type: application/json' "$@"; }
# the list behind "name": in one line of JSON, as words
list() { printf "%s\n" "$answer" | sed -n "s|.*\"$1\":\[\([^]]*\)\].*|\1|p" | tr , ' '; }

answer=$(ask "$api/runs" -d '{
  "name": "from curl",
  "spec": {
    "environment": {"use": "bandit"},
    "algorithm": {"use": "grpo"},
    "optimizer": {"learningRate": 4e-4},
    "steps": 8, "validation": {"every": 8, "episodes": 128}
  }
}') || { echo "$answer" >&2; exit 1; }
run=$(printf "%s\n" "$answer" | sed 's|.*"id":"\(run-[^"]*\)".*|\1|')
echo "run $run"

last=0
state=queued
while [ "$state" = queued ] || [ "$state" = assigned ] || [ "$state" = running ]; do
  sleep 1
  answer=$(ask "$api/runs/$run") || { echo "$answer" >&2; exit 1; }
  state=$(printf "%s\n" "$answer" | sed 's|.*"state":"\([a-z]*\)".*|\1|')
  # every step since the last one that was shown
  answer=$(ask "$api/runs/$run/metrics?name=rollout/success_rate&fromStep=$((last + 1))") || { echo "$answer" >&2; exit 1; }
  # shellcheck disable=SC2046 # a list of numbers
  set -- $(list values)
  for step in $(list steps); do
    echo "step $step  success $1"
    last=$step
    shift
  done
done
echo "run $state"
