#!/usr/bin/env bash
#
# Runs the simulation of observations with many seeds, and prints the seeds that fail. Run it after
# a change to observations, the observation broker, or concurrent reads. The test suite runs the
# first 1000 seeds, half of them on a queue, and half of them on a pool.
#
# usage: scripts/run-tests observation [COUNT [FIRST]]     (20000 seeds from 1, each on a queue and on a pool)
#
# To replay a failing seed, set COUNT to 1 and FIRST to the seed.
set -euo pipefail
source "$(dirname "$0")/../support/usage.sh"
cd "$(dirname "$0")/../.."
OBSERVATION_COUNT=${1:-20000} OBSERVATION_SEED=${2:-1} \
    swift test --filter ObservationSimulationTests
