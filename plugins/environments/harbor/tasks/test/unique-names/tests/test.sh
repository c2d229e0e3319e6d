#!/bin/bash
if [ "$(cat /app/unique.txt)" = "$(printf 'Ada\nEve\nRuth\nTom')" ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
