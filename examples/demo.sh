#!/usr/bin/env bash
# Shows the whole path on a throw-away server: examples/demo.sh bot-queue. Needs Go, PostgreSQL with
# pg_cron and psql ("make demo" installs what is missing). Works as root and as an ordinary user;
# everything it makes is in one temporary directory and goes when it ends; the report is copied to
# PGRETAIN_DEMO_REPORT, if that is set to a path.
#
# An example can be shown when it has expected.sql: what its first job must take, policy by policy, in plain
# SQL. roles.sql (by a superuser, before the migrations) and look.sql (afterwards) may be there.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
example=${1:-bot-queue}
source_dir=$root/examples/$example
[[ -r $source_dir/expected.sql ]] || {
	printf 'demo: there is no example "%s" with a demo\n' "$example" >&2
	exit 2
}
unset PGHOST PGPORT PGDATABASE PGUSER PGPASSWORD PGSERVICE PGOPTIONS

tmp=$(mktemp -d "${TMPDIR:-/tmp}/pgretain-demo.XXXXXX")
sandbox=
clean_up() {
	local code=$?
	trap - EXIT
	if [[ -n $sandbox ]]; then
		kill -TERM "$sandbox" 2>/dev/null || true
		wait "$sandbox" 2>/dev/null || true
	fi
	rm -rf "$tmp"
	exit "$code"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

if [[ -t 1 ]]; then bold=$'\e[1m' plain=$'\e[0m'; else bold='' plain=''; fi
step() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
fail() {
	printf '\ndemo: %s\n' "$1" >&2
	exit 1
}

# Shows a command and runs it.
show() {
	printf '$ %s\n' "$*"
	"$@"
}

as() { # role, psql arguments
	local role=$1
	shift
	psql -X -q -v ON_ERROR_STOP=1 -h "$socket" -p 5432 -U "$role" -d postgres "$@"
}
value() { as postgres -At -c "$1"; } # one value, as the superuser

pgretain() { PGHOST=$socket PGPORT=5432 PGDATABASE=postgres PGUSER=app_deploy "$tmp/pgretain" "$@"; }

SECONDS=0
step "Build pgretain"
(cd "$root" && go build -buildvcs=false -o "$tmp/pgretain" ./cmd/pgretain)
echo "built in $SECONDS s"

step "Start a throw-away PostgreSQL with pg_cron"
"$tmp/pgretain" sandbox >"$tmp/sandbox.out" 2>"$tmp/sandbox.err" &
sandbox=$!
until [[ -s $tmp/sandbox.out ]]; do
	kill -0 "$sandbox" 2>/dev/null || {
		cat "$tmp/sandbox.err" >&2
		sandbox=
		fail "the server did not start"
	}
	sleep 0.1
done
socket=$(sed -n 's/.*[?&]host=\([^&]*\).*/\1/p' "$tmp/sandbox.out" | sed 's/%2F/\//g')
value "SELECT split_part(version(), ' on ', 1) || ', pg_cron ' || extversion FROM pg_extension WHERE extname = 'pg_cron'"

step "The application: its tables belong to app_deploy, which is no superuser and will migrate"
as postgres -c 'CREATE ROLE app_deploy LOGIN' -c 'ALTER SCHEMA public OWNER TO app_deploy' -c 'GRANT CREATE ON DATABASE postgres TO app_deploy'
cp -r "$source_dir" "$tmp/example"
rm -rf "$tmp/example/migrations"
cd "$tmp/example"
[[ ! -r roles.sql ]] || show as postgres -f roles.sql
show as app_deploy -f schema.sql
show as app_deploy -f data.sql

step "The policy"
sed -n '/^policies:/,$p' retention.yaml
step "Check it, and write its migrations"
show pgretain lint
show pgretain generate

job=$(sed -n '/^jobs:/,$ s/^  \([a-z0-9_]*\):.*/\1/p' retention.yaml | head -n 1)
awk '/^jobs:/ { jobs = 1 }
	jobs && !done { done = sub(/schedule: *("[^"]*"|\[[^]]*\])/, "schedule: \"* * * * *\"") }
	{ print }' retention.yaml >"$tmp/every_minute.yaml"
if ! cmp -s retention.yaml "$tmp/every_minute.yaml"; then
	step "For the demo the job \"$job\" runs every minute: one line changes, one migration more"
	diff retention.yaml "$tmp/every_minute.yaml" || true
	mv "$tmp/every_minute.yaml" retention.yaml
	show pgretain generate
fi

step "Once, by a DBA: roles, memberships, pg_cron"
echo '$ pgretain bootstrap | psql'
pgretain bootstrap >"$tmp/bootstrap.sql"
PGOPTIONS="-c client_min_messages=warning" as postgres -f "$tmp/bootstrap.sql"

step "Install, as app_deploy"
show pgretain migrate up

step "Time has passed: what the application has written since, and what a plain query says must go"
sed -n '/^--/!q; s/^-- //p' later.sql
before=$(value 'SELECT clock_timestamp()')
echo '$ psql -1 -f later.sql -f expected.sql'
as app_deploy -At -F ' ' -1 -f later.sql -f expected.sql | tee "$tmp/expected.txt"
loaded=$(value 'SELECT clock_timestamp()')

step "Wait for pg_cron to run the job (it ticks every minute)"
late=$((SECONDS + 600))
while :; do
	missing=$(value "SELECT count(*) FROM retention.job j, unnest(j.policies) AS p (name) WHERE j.name = '$job' AND NOT EXISTS (
		SELECT FROM retention.run r WHERE r.policy = p.name AND r.job = j.name AND r.started_at > '$loaded' AND r.state NOT IN ('running', 'busy'))")
	((missing > 0)) || break
	((SECONDS < late)) || fail "no run of the job within ten minutes"
	sleep 0.5
done
as postgres -P footer=off -c "SELECT job, policy, role, state, scanned, taken, ended_at - started_at AS took
	FROM retention.run WHERE started_at > '$before' AND job = '$job' ORDER BY id"

step "What the plain query had said, and what is gone"
while read -r policy expected; do
	deleted=$(value "SELECT coalesce(sum(taken), 0) FROM retention.run WHERE policy = '$policy' AND job = '$job' AND started_at > '$before'")
	printf '%-24s expected %7d   deleted %7d\n' "$policy" "$expected" "$deleted"
	[[ $expected == "$deleted" ]] || fail "policy $policy deleted $deleted rows, not $expected"
done <"$tmp/expected.txt"

if [[ -r look.sql ]]; then
	step "What else can be seen and done"
	as postgres -P footer=off -e -f look.sql
fi

step "Metrics"
as postgres -P footer=off -c "SELECT name, labels->>'policy' AS policy, labels->>'table' AS \"table\", value
	FROM retention.metrics WHERE name ~ '_(rows_taken_total|table_rows)$' AND labels->>'table' NOT LIKE 'retention.%' AND value > 0"

step "Status"
show pgretain status
step "Does the database do what the policy says?"
show pgretain verify

step "Somebody changes one object by hand"
cat tamper.sql
as postgres -f tamper.sql
step "Does it still?"
code=0
show pgretain verify || code=$?
echo "exit code $code"
((code == 1)) || fail "verify should have ended with 1"

step "All of it on one page"
show pgretain report --output "$tmp/report.html"
grep -o '<title>[^<]*' "$tmp/report.html" | head -n 1 | cut -c 8-
[[ -z ${PGRETAIN_DEMO_REPORT:-} ]] || cp "$tmp/report.html" "$PGRETAIN_DEMO_REPORT"

step "Done in $SECONDS s; the server stops and its directory goes"
