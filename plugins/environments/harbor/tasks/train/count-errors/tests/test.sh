#!/bin/bash
if [ "$(tr -d '[:space:]' < /app/errors.txt)" = 3 ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
