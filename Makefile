# "make" or "make help" lists the targets.
SHELL := /bin/bash
export PATH := $(PATH):/usr/local/go/bin:/usr/sbin

EXAMPLE ?= bot-queue

.DEFAULT_GOAL := help
.PHONY: help demo test test-browser test-matrix test-migrators fire bench lint generate build packages clean setup

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: setup ## Show the whole path on a throw-away server; EXAMPLE=bot-queue
	@examples/demo.sh "$(EXAMPLE)"

test: setup lint ## Run all tests; needs PostgreSQL with pg_cron, git, gcc, Prometheus and PgBouncer, installs them where it may
	@command -v chromium >/dev/null || echo 'no chromium in PATH: the report is not looked at in a browser; make test-browser does'
	@# Lint has vetted already, and without debug information each of the thirty programs is linked in half the time.
	TMPDIR=$$(.ci/scratch) go test -count=1 -timeout 60m -vet=off -ldflags=-w ./...
	@[ -n "$$PGRETAIN_TEST_CITUS_URL" ] || echo 'skipped: no Citus'

test-browser: setup ## Look at the report in Chromium, which it installs where it may
	TMPDIR=$$(.ci/scratch) PGRETAIN_TEST_BROWSER=true go test -count=1 -run '^(TestReport|TestSize)$$/browser' ./tests ./internal/htmlreport

test-matrix: lint ## Run all tests on PostgreSQL 15, 17 and 18; VERSIONS="15 17"
	@.ci/matrix

test-migrators: setup ## Test the migrations with the tools of docs/frameworks.md, which it installs where it may
	@.ci/migrators

fire: setup ## Test random policies, kills and histories for hours; PGRETAIN_TEST_POLICIES=300, PGRETAIN_TEST_SEED=1
	TMPDIR=$$(.ci/scratch) PGRETAIN_TEST_FIRE=1 go test -count=1 -timeout 6h -v ./tests/model ./tests/kills
	TMPDIR=$$(.ci/scratch) PGRETAIN_TEST_FIRE=1 go test -count=1 -timeout 6h -v -run '^TestRollUps' ./tests/races
	TMPDIR=$$(.ci/scratch) PGRETAIN_TEST_FIRE=1 go test -count=1 -timeout 6h ./tests/behaviour ./tests/history

bench: setup ## Measure the generated deletes against others; writes bench.json
	go run ./tests/bench

lint: export GOGC = 400
lint: ## Check the Go sources, go.mod, the length of lines, words that have to be read twice, and hints without a test
	@unformatted=$$(gofmt -l .); \
	if [ -n "$$unformatted" ]; then printf 'not formatted, run gofmt -w:\n%s\n' "$$unformatted" >&2; exit 1; fi
	go mod tidy -diff
	go vet ./...
	go tool staticcheck ./...
	@dead=$$(go tool deadcode -test ./...); \
	if [ -n "$$dead" ]; then printf 'never called:\n%s\n' "$$dead" >&2; exit 1; fi
	go test -count=1 -vet=off -run '^Test(Prose|Hints)' ./internal

generate: ## Write the generated files again
	go generate ./...

build: ## Build bin/pgretain
	go build -o bin/ ./cmd/pgretain

packages: ## Build dist/: a static binary, a Debian package, an OCI image; checks them
	@.ci/package dist

clean: ## Remove what build, packages, bench and failed tests leave
	rm -rf bin dist bench.json
	find . -name '*.FAIL' -delete

setup:
	@.ci/setup gcc git $(TOOLS)
test: TOOLS = prometheus prometheus-postgres-exporter prometheus-sql-exporter pgbouncer
test-browser: TOOLS = chromium
