package controller_test

import (
	"slices"
	"testing"
	"time"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/cluster/clients"
	"github.com/single-writer/chaos/cluster/containers/containerstest"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/runtest"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/scenarios"
	"github.com/single-writer/chaos/workload/persistence"
)

// resentLate is a flush that is applied, not told, and sent again by the driver when the worker's successor has stored newer
// state: it is refused by that, and was applied all the same.
const resentLate = `
name: resent-late
about: The answer to a flush is lost, and what the driver sends again comes after the successor's newer state.
input:
  partitions: 1
  keys: 1
  stages:
    - {events: 1-3}
    - {events: 4-5, when: {evicted: a}}
workers:
  all: {max-poll-interval: 10s, session-timeout: 3s, heartbeat-interval: 100ms, max-poll-records: 1}
  a: {max-poll-interval: 1s}
plan:
  - {start: a}
  - {when: {worker: a, point: before-persist, event: 3}, do: [{lose-answer: a}]}
  - {when: {evicted: a}, do: [{start: b}]}
  - {when: {worker: a, point: persist-answered, event: 3}, do: [{stop: a}]}
requires: [lost-answer a, recovered-state b]
expect:
  cassandra/cas: {holds: all}
`

// TestContainersOwnWrite goes through a driver that sends conditional statements again by itself, on real servers. The store
// then refuses what it has applied, and nothing that it says tells the two apart.
func TestContainersOwnWrite(t *testing.T) {
	// The pause is longer than a's time between two polls, and leaves its successor the rest to recover and write.
	c := containerstest.OpenWith(t, clients.Driver{Name: "gocql1", Retries: 1, Pause: 4 * time.Second})
	t.Run("settled by reading the row", func(t *testing.T) {
		for _, arm := range []string{persistence.CassandraCASPersist, persistence.CassandraCAS} {
			s := runtest.Find(t, "lost-answer")
			h := runtest.Execute(t, c, s, arm, 1)
			stated(t, s, h)
			noFalseRefusal(t, h)
			w := answerTo(t, h, "a/1#1")
			if w.Type != history.OK || w.Value.(*history.Write).Settled != history.SettledOwn {
				t.Errorf("%s: the first write ended %s: %+v", arm, w.Type, w.Value)
			}
			each := checker.Check(h).Unknowns.Each
			if !slices.ContainsFunc(each, func(u checker.Unsettled) bool { return u.Settled == "refused by its own write, seen by a read" }) {
				t.Errorf("%s: it is not among those in doubt: %+v", arm, each)
			}
		}
	})
	t.Run("in doubt, as a newer one came between", func(t *testing.T) {
		s, err := scenarios.Parse("resent-late.yaml", []byte(resentLate), controller.Vocabulary())
		if err != nil {
			t.Fatal(err)
		}
		h := runtest.Execute(t, c, s, persistence.CassandraCAS, 1)
		stated(t, s, h)
		noFalseRefusal(t, h)
		w := answerTo(t, h, "a/1#3")
		if v := w.Value.(*history.Write); w.Type != history.Info || v.Code != history.CodeResent || v.Stored.N <= v.Offset {
			t.Errorf("the write that was sent again ended %s: %+v", w.Type, v)
		}
	})
}

// noFalseRefusal: a write that was recorded to have had no effect is nowhere to be seen.
func noFalseRefusal(t *testing.T, h *history.History) {
	t.Helper()
	failed := map[string]int{}
	for _, e := range h.Events {
		if v, ok := e.Value.(*history.Write); ok && e.Type == history.Fail {
			failed[v.Write] = e.Line()
		}
	}
	for _, e := range h.Events {
		v, ok := e.Value.(*history.RowRead)
		if !ok || v.Row == nil {
			continue
		}
		if line, ok := failed[v.Row.Write]; ok {
			t.Errorf("line %d says that %s had no effect, and line %d shows it", line, v.Row.Write, e.Line())
		}
	}
}

// answerTo finds the answer to a write.
func answerTo(t *testing.T, h *history.History, write string) history.Event {
	t.Helper()
	for _, e := range h.Events {
		if v, ok := e.Value.(*history.Write); ok && v.Write == write && e.Type != history.Invoke {
			return e
		}
	}
	t.Fatalf("there is no answer to %s", write)
	return history.Event{}
}
