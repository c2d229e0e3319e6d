#!/bin/bash
# a share of the files for each that is where it belongs
right=0
for path in text/a.txt text/b.txt data/c.csv data/d.csv data/e.csv; do
  [ -f "/app/$path" ] && [ ! -e "/app/$(basename "$path")" ] && right=$((right + 1))
done
echo "0.$((right * 2))" | sed 's/0\.10/1/' > /logs/verifier/reward.txt
