package sim

import (
	"fmt"
	"time"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// What a member does when rules act upon its messages: it goes on as the Java client does when a connection breaks, or when there
// is none.

// retryBackoff is retry.backoff.ms of the Java client.
const retryBackoff = 100 * time.Millisecond

// coordinated is a request to the group's coordinator.
func coordinated[T any](m *member, api string, patience time.Duration, serve func(reply func(T)), code func(T) string,
	answered func(T), broken func(),
) sending[T] {
	return sending[T]{
		process: m.client, to: m.world.broker.server, link: &m.coordinator, patience: patience,
		words: func() []string { return workload.KafkaWords(api) }, what: func() string { return "a request " + api },
		serve:    serve,
		done:     func(answer T) (string, bool) { return "accepted", code(answer) == codeNone },
		answered: answered, broken: broken, refused: broken,
	}
}

// itself is the code of an answer that is nothing else.
func itself(code string) string { return code }

// joins is a request of a join, which begins anew when its connection breaks.
func joins[T any](m *member, api string, patience time.Duration, serve func(reply func(T)), code func(T) string,
	answered func(T), j *joining,
) sending[T] {
	s := coordinated(m, api, patience, serve, code, answered, j.breaks)
	s.refused = func() { m.world.net.After(retryBackoff, j.breaks) }
	return s
}

// ask sends a fetch. One that comes to nothing ends like one that found nothing.
func (m *member) ask(positions map[int32]int64, maxRecords int, wait time.Duration) *board.Call[[]workload.Record] {
	w := m.world
	call := board.NewCall[[]workload.Record](w.board)
	expiry := expire(w.net, call, wait+m.config.RequestTimeout)
	later := func() { w.net.After(retryBackoff, breaks(call)) }
	send(w, sending[[]workload.Record]{
		process: m.client, to: m.world.broker.server, link: &m.leader, patience: wait + m.config.RequestTimeout,
		words: func() []string { return workload.KafkaWords("Fetch") }, what: func() string { return "a request Fetch" },
		serve: func(reply func([]workload.Record)) { w.broker.fetch(positions, m.turn, maxRecords, wait, reply) },
		done:  func(r []workload.Record) (string, bool) { return fmt.Sprintf("%d records", len(r)), true },
		answered: func(r []workload.Record) {
			expiry.Stop()
			call.Finish(r, persistence.Answered, nil)
		},
		broken: later, refused: later,
	})
	return call
}
