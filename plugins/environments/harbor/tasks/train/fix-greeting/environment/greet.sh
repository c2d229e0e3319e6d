#!/bin/bash
echo "$GREETING, name!"
