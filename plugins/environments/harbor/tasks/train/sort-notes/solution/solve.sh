#!/bin/bash
mkdir text data
mv *.txt text/
mv *.csv data/
