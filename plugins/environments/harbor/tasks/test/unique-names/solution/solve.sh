#!/bin/bash
sort -u names.txt > unique.txt
