#!/bin/bash
sed -i 's/name!/$1!/' greet.sh
