/** @file Shell scripts that start, observe and stop workers on a machine: of the server, or behind SSH. POSIX only. */
import { assertPlainName, type LaunchOrder } from './launcher.js';
import { quote } from './run-program.js';

/**
 * Ends all processes with one of some texts in their environment, one per line (Linux). Trainings lead process groups of
 * their own and outlive their worker, but a launched worker never comes back for them.
 */
const endProcesses = `end_processes() {
  for try in 1 2 3 4 5 6 7 8 9 10; do
    found=$(grep -lF "$1" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3)
    test -n "$found" || break
    kill -KILL $found 2>/dev/null
    sleep 0.2
  done
}
`;

/** What the environment of a worker's trainings has. @param data its folder, as part of a quoted word */
const ofTrainings = (data: string): string => `ESPALIER_ATTEMPT=${data}/attempts/`;
/** What that of its trainings or of itself has. */
const ofAll = (data: string): string => `${ofTrainings(data)}
ESPALIER__WORKER__DATA=${data}`;

/**
 * Starts the worker, hands the first signal on, keeps its exit code, and ends what it left running. A second signal would
 * end the worker before its jobs are saved, and a stop may be repeated: after a restart, or where its answer was lost.
 */
const supervise = (command: readonly string[]): string => `${endProcesses}child= asked=
trap 'test -n "$asked" || { asked=yes; test -z "$child" || kill -TERM "$child" 2>/dev/null; }' TERM INT USR1
${command.map(quote).join(' ')} &
child=$!
test -z "$asked" || kill -TERM "$child" 2>/dev/null
while :; do
  wait "$child"
  code=$?
  kill -0 "$child" 2>/dev/null || break
done
end_processes "${ofTrainings('$ESPALIER__WORKER__DATA')}"
`;

const exportsOf = (environment: LaunchOrder['environment']): string =>
  Object.entries(environment)
    .map(([name, value]) => `export ${name}=${quote(value)}\n`)
    .join('');

/**
 * Removes the folders of workers that were made on this node more than a week ago and that no process uses. Each says in
 * `node` where it was made, because nodes may share the folder they are in.
 */
const forgetOld = `find "$place" -maxdepth 2 -name node -user "$(id -u)" -mtime +7 2>/dev/null | while read -r made; do
  old=\${made%/node}
  test "$(cat "$made")" = "$(uname -n)" || continue
  grep -qsF "${ofAll('$old')}" /proc/[0-9]*/environ || rm -rf "$old"
done
`;

/** A folder in /tmp, where each user of a node has one; another one could have made it. */
const ownFolder = `place=/tmp/espalier-workers-$(id -u)
mkdir -p "$place" || exit 1
if [ ! -O "$place" ]; then
  echo "start a worker: the folder $place belongs to another user; set the folder of the launcher to one of its own" >&2
  exit 1
fi
`;

/**
 * The batch script of a Slurm job. Its variables come from the environment of `sbatch`, so it has no secret.
 *
 * @param folder of the workers; empty: one of the user in /tmp
 */
export function batchScript(setup: string, folder: string, order: LaunchOrder): string {
  assertPlainName(order.name);
  const place = folder === '' ? ownFolder : `place=${quote(folder)}\n`;
  return `#!/bin/sh
umask 077
${place}mkdir -p "$place" && place=$(cd "$place" && pwd) || exit 1
${forgetOld}export ESPALIER__WORKER__DATA="$place/${order.name}"
mkdir -p "$ESPALIER__WORKER__DATA" && uname -n > "$ESPALIER__WORKER__DATA/node" || exit 1
${setup}
${supervise(order.command)}test "$code" != 0 || rm -rf "$ESPALIER__WORKER__DATA"
exit "$code"
`;
}

/** Identifies a process beyond its reused id: when it started, and in which run of the machine. */
const identify = `identify() {
  if [ -r "/proc/$1/stat" ]; then
    sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f20 | tr '\\n' -
    cat /proc/sys/kernel/random/boot_id
  else
    ps -o lstart= -p "$1" 2>/dev/null | tr -d ' '
  fi
}
`;

/** Goes to the folder of the workers; a relative one starts in the home folder. */
const enter = (folder: string): string => `cd && cd ${quote(folder)} 2>/dev/null`;

/** Starts a worker; a second run with one name starts nothing more. Read from standard input, as it has the key. */
export function startScript(folder: string, setup: string, order: LaunchOrder): string {
  const { name, environment, command } = order;
  assertPlainName(name);
  return `set -eu
umask 077
cd
mkdir -p ${quote(folder)}/${name}
cd ${quote(folder)}/${name}
if mkdir started 2>/dev/null; then
cat > environment <<'ESPALIER_END'
${exportsOf(environment)}export ESPALIER__WORKER__DATA="$PWD/data"
ESPALIER_END
cat > run.sh <<'ESPALIER_END'
${identify}. ./environment
rm -f environment
printf '%s %s\\n' "$$" "$(identify $$)" > pid.new && mv pid.new pid
${setup}
${supervise(command)}test "$code" != 0 || rm -rf data
echo "$code" > exit.new && mv exit.new exit
ESPALIER_END
nohup sh run.sh > log 2>&1 < /dev/null &
fi
echo started
`;
}

/**
 * Prints a line for each worker: name, phase, exit code, end of its output; separated by tabs. What is left of one that was
 * killed is ended first, as its jobs are then queued again.
 */
export function observeScript(folder: string, names: readonly string[]): string {
  names.forEach(assertPlainName);
  return `${identify}${endProcesses}${enter(folder)} || exit 0
find . -maxdepth 2 -name exit -mtime +7 2>/dev/null | while read -r old; do rm -rf "\${old%/exit}"; done
for name in ${names.join(' ')}; do
  [ -d "$name/started" ] || continue
  phase=pending code=
  if [ -f "$name/exit" ]; then
    phase=ended code=$(cat "$name/exit")
  elif [ -f "$name/pid" ]; then
    read -r pid identity < "$name/pid"
    if [ "$(identify "$pid")" = "$identity" ]; then
      phase=running
    else
      phase=ended code=killed
      end_processes "${ofAll('$PWD/$name/data')}"
    fi
  elif [ -n "$(find "$name/started" -prune -mmin +1)" ]; then
    phase=ended code=lost
  fi
  printf '%s\\t%s\\t%s\\t' "$name" "$phase" "$code"
  if [ $phase = ended ]; then tail -c 400 "$name/log" 2>/dev/null | tr '\\n\\t' '  '; fi
  echo
done
`;
}

/** Signals a worker: its supervisor hands SIGTERM on; by force, both are killed, and its trainings. */
export function stopScript(folder: string, name: string, isForced: boolean): string {
  assertPlainName(name);
  const forced = `for each in $(ps -o pid= -o ppid= -A | awk -v p="$pid" '$2 == p { print $1 }'); do kill -KILL "$each"; done
kill -KILL "$pid"
end_processes "${ofAll('$PWD/data')}"`;
  return `${identify}${endProcesses}${enter(folder)} && cd ${name} 2>/dev/null || exit 0
[ -f pid ] && [ ! -f exit ] || exit 0
read -r pid identity < pid
[ "$(identify "$pid")" = "$identity" ] || exit 0
${isForced ? forced : 'kill -TERM "$pid"'}
`;
}

/** Removes the folder of a worker that ended well, and all but the output of one that did not. */
export function cleanUpScript(folder: string, name: string): string {
  assertPlainName(name);
  return `${enter(folder)} && cd ${name} 2>/dev/null || exit 0
rm -rf data environment run.sh
if [ "$(cat exit 2>/dev/null)" = 0 ]; then cd .. && rm -rf ${name}; fi
`;
}

/** Reads what the script to observe has printed. */
export function parseObserved(text: string): { name: string; phase: string; code: string; output: string }[] {
  return text
    .split('\n')
    .filter((line) => line.includes('\t'))
    .map((line) => {
      const [name = '', phase = '', code = '', output = ''] = line.split('\t');
      return { name, phase, code, output };
    });
}
