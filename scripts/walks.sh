#!/bin/sh
# Writes clips of long-horizon matching that walks to random targets, turns to some facing and stands for a moment: motion that
# data of walkers lack.
#   sh scripts/walks.sh DATABASE.amdb DIR [clips] [seconds of each]
# The clips are for databases like configs/databases/walks.json. The same database gives the same clips.
set -eu
database=$1
dir=$2
clips=${3:-16}
seconds=${4:-60}
amble=${AMBLE:-build/amble}
mkdir -p "$dir"
clip=0
while [ "$clip" -lt "$clips" ]; do
    script=$dir/walk_$(printf %02d "$clip").json
    awk -v seed="$clip" -v database="$database" -v seconds="$seconds" '
        # Park and Miller: rand() differs between awks.
        function next_random() { return (state = state * 16807 % 2147483647) / 2147483647 }
        function draw(low, high) { return low + (high - low) * next_random() }
        BEGIN {
            state = 7919 * (seed + 1)
            next_random()
            pi = 3.14159265
            printf "{ \"database\": \"%s\", \"controller\": \"long-horizon\", \"seconds\": %d,\n", database, seconds
            walk = draw(1.0, 1.6)
            x = z = goals = turns = 0
            for (t = 0; t < seconds; t += hold) {
                away = 6 * sqrt(next_random())
                way = draw(-pi, pi)
                x += away * sin(way)
                z += away * cos(way)
                goal[goals++] = sprintf("{ \"t\": %.2f, \"values\": { \"target\": [%.2f, 0, %.2f] } }", t, x, z)
                walked = t + away / walk + 0.5
                turned = draw(-pi, pi)
                if (next_random() < 0.7) { # a stick that points aside turns whoever has arrived, or stops who has not
                    turn[turns++] = sprintf("{ \"t\": %.2f, \"left\": [0, 0], \"right\": [%.3f, %.3f] }", walked,
                                            sin(turned), cos(turned))
                }
                hold = walked - t + draw(2, 3.5)
            }
            printf "  \"options\": { \"walk_mps\": %.2f, \"ik\": false },\n  \"characters\": [ { \"goals\": [\n", walk
            for (i = 0; i < goals; i++) { printf "    %s%s\n", goal[i], i + 1 < goals ? "," : " ]," }
            printf "    \"gamepad\": [\n"
            for (i = 0; i < turns; i++) { printf "    %s%s\n", turn[i], i + 1 < turns ? "," : " ] } ] }" }
        }' >"$script"
    "$amble" run "$script" -o "${script%.json}.bvh"
    rm "$script"
    clip=$((clip + 1))
done
