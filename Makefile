# `make test` is all that this machine can run; `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

# The race detector needs a C compiler; a machine without one still runs the tests.
RACE := $(if $(shell command -v $$(go env CC)),-race,)
# How often `make repeat` runs the catalogue on real servers, and how long `make fuzz` gives each target.
N ?= 10
FOR ?= 1m

.PHONY: help build test vet lint bench million fuzz guards controls repeat seeds three killed docs images ci clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

build: ## build bin/chaos
	go build -o bin/chaos ./cmd/chaos

# Tests on real servers run one after another, packages too: two clusters at once would time each other out. They wait most of
# the time; so all others run beside them, and stand back for them (nice). All code is built before, on all cores.
TEST := go test $(RACE) -count 1 -timeout 30m -json
test: vet ## run all tests that this machine can run; the last line says whether those on real servers ran
	@go build $(RACE) ./...
	@go run ./internal/testsummary \
	  "$(TEST) -p 1 -run '^TestContainers' $$(grep -rl --include='*_test.go' '^func TestContainers' . | xargs -n 1 dirname | sort -u | xargs)" \
	  "nice $(TEST) -skip '^TestContainers' ./..."

vet: ## go vet and gofmt
	@go vet ./...
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }

lint: ## golangci-lint at its pinned version (its first build takes minutes)
	go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run ./...

bench: ## schedules a second, what reading, recording and checking cost, and the rig's driver path against a bare one
	GOGC=800 go test -run '^$$' -bench . -benchmem -cpu 1 ./controller/search
	go test -run '^$$' -bench . -benchmem -cpu 1 ./checker ./history
	go test -run '^$$' -bench . -benchtime 2000x -v ./cluster/clients
	go test -run '^$$' -bench '^Benchmark(Latency|Throughput)$$' -benchtime 3000x ./cluster/clients/wire/proxy
	go test -run '^$$' -bench Containers -benchtime 12x ./cluster/clients/wire/proxy

million: ## a million schedules of the small scenario: the time, and the memory at the start, on the way and at the end
	@CHAOS_SCHEDULES=1000000 GOGC=800 go test -count 1 -timeout 12h -v -run TestMemoryIsFlat ./controller/search

fuzz: ## each fuzz target for FOR (default 1m)
	@for p in $$(go list ./...); do \
	  for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz' || true); do \
	    echo "== $$p $$f"; go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FOR) $$p; done; done

guards: ## show each guard at work in the simulator, and on real servers where a Docker engine answers
	go run ./cmd/chaos guards
	@if timeout 10 docker version >/dev/null 2>&1; then \
	  echo; set -x; go run ./cmd/chaos guards --cluster containers; \
	else echo; echo "no Docker engine answers: nothing was shown on real servers"; fi

controls: ## try the controls anew, and write what came of them into docs/controls.md (two minutes)
	go run ./internal/docs controls

seeds: ## every schedule of TestSeeds done twice, where the tests do every third: a seed gives one history
	@CHAOS_SEEDS=all go test $(RACE) -count 1 -timeout 60m -v -run '^TestSeeds$$' ./controller

repeat: ## the catalogue N times (default 10) on real servers and in the simulator, without retries; CHAOS_DRIVER=gocql1 for that driver
	@CHAOS_REQUIRE_ENGINE=1 CHAOS_REPEAT=$(N) go test $(RACE) -count 1 -timeout 60m -v -run TestContainersCatalogue ./controller

three: ## the catalogue on three brokers and three nodes, and in the simulator
	@CHAOS_REQUIRE_ENGINE=1 CHAOS_THREE=1 go test $(RACE) -count 1 -timeout 60m -v -run TestContainersThree ./controller

docs: ## write anew what in docs/ is made from the code
	go run ./internal/docs

killed: ## the rig killed N times (default 10) at random instants, beside live runs and a warm cluster
	@CHAOS_REQUIRE_ENGINE=1 CHAOS_KILLS=$(N) go test -count 1 -timeout 60m -v -run TestContainersKilledAtRandom ./cmd/chaos

images: ## build the local images of Kafka and Cassandra
	go run ./cmd/chaos images build

ci: ## what CI runs
	.ci/run

clean: ## remove what was built, and recorded runs
	rm -rf bin runs
