#!/bin/bash
awk -F, 'NR > 1 { sum += $2 } END { print sum }' prices.csv > total.txt
