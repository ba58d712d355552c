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

// coordinated is a request to the group's coordinator.
func coordinated[T any](m *member, api string, patience time.Duration, serve func(reply func(T)), code func(T) string,
	answered func(T), broken func(),
) sending[T] {
	return sending[T]{
		process: m.client, to: m.at.server, link: &m.coordinator, patience: patience,
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
	from := m.at
	s := coordinated(m, api, patience, serve, code, answered, func() {
		m.broke(from)
		j.breaks()
	})
	s.refused = func() { m.world.net.After(backoff, j.breaks) }
	return s
}

// ask sends a fetch to a broker. One that comes to nothing ends like one that found nothing.
func (m *member) ask(b *broker, positions map[int32]int64, maxRecords int, wait time.Duration) *board.Call[fetched] {
	w := m.world
	call := board.NewCall[fetched](w.board)
	expiry := expire(w.net, call, wait+m.config.RequestTimeout)
	later := func() { w.net.After(backoff, breaks(call)) }
	send(w, sending[fetched]{
		process: m.client, to: b.server, link: &m.links[b.number], patience: wait + m.config.RequestTimeout,
		words: func() []string { return workload.KafkaWords("Fetch") }, what: func() string { return "a request Fetch" },
		serve: func(reply func(fetched)) { b.fetch(positions, m.turn, maxRecords, wait, reply) },
		done:  func(f fetched) (string, bool) { return fmt.Sprintf("%d records", len(f.records)), f.code == codeNone },
		answered: func(f fetched) {
			expiry.Stop()
			call.Finish(f, persistence.Answered, nil)
		},
		broken: later, refused: later,
	})
	return call
}
