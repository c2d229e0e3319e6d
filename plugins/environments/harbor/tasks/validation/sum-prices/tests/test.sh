#!/bin/bash
if [ "$(tr -d '[:space:]' < /app/total.txt)" = 101 ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
