#!/bin/bash
passed=0
for name in Ada "Mary Ann"; do
  [ "$(bash /app/greet.sh "$name")" = "Hello, $name!" ] && passed=$((passed + 1))
done
echo "{\"reward\": $((passed / 2))}" > /logs/verifier/reward.json
