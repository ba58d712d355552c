package wire

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/single-writer/chaos/workload"
)

// Drivers of other programs do not mark their statements. Whose one is says the name that its driver gave at the beginning, and what
// it is, its text: that of the statement itself, or of the one that was prepared.

// driver is one of them on its connection.
type driver struct {
	texts *texts
	mu    sync.Mutex
	of    string
	// preparing are the texts that are being prepared, by their streams.
	preparing map[int16]string
}

// texts are those of all prepared statements: one prepared on one connection is executed on others.
type texts struct {
	mu       sync.Mutex
	prepared map[string]string
}

// named takes the client's name from the options of STARTUP: the application's where it tells one, else the driver's, if that does.
func (d *driver) named(options map[string]string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.of = cmp.Or(options["APPLICATION_NAME"], options["CLIENT_ID"], options["DRIVER_NAME"], "nameless")
}

func (d *driver) prepares(stream int16, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.preparing[stream] = text
}

// answered learns the id of a statement that was prepared.
func (d *driver) answered(stream int16, body []byte) {
	d.mu.Lock()
	text, ok := d.preparing[stream]
	delete(d.preparing, stream)
	d.mu.Unlock()
	r := reader{rest: body}
	if !ok || r.int() != resultPrepared {
		return
	}
	id := r.string()
	d.texts.mu.Lock()
	defer d.texts.mu.Unlock()
	d.texts.prepared[id] = text
}

// describe is what rules look at in a statement without a mark.
func (d *driver) describe(f frame) (Request, bool) {
	body, _ := f.parts()
	r := reader{rest: body}
	var words []string
	switch f.opcode() {
	case opQuery:
		words = wordsOf(r.longString())
	case opExecute:
		id := r.string()
		d.texts.mu.Lock()
		words = wordsOf(d.texts.prepared[id])
		d.texts.mu.Unlock()
	case opBatch:
		words = []string{workload.OfCassandra, "batch", workload.Writes}
	default:
		return Request{}, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	reads := slices.Contains(words, workload.Reads)
	return Request{Of: d.of, Words: words, Done: func(answer []byte) (string, bool) { return frame(answer).done(reads) }}, d.of != ""
}

// wordsOf are the words that mean a statement by its text: its verb, with what its condition asks where that is the row's existence.
func wordsOf(text string) []string {
	text = strings.ToLower(strings.Join(strings.Fields(strings.TrimRight(text, "; \n")), " "))
	verb, _, _ := strings.Cut(text, " ")
	conditional := strings.Contains(text, " if ")
	form := verb
	switch {
	case strings.HasSuffix(text, " if exists"):
		form += "-if-exists"
	case strings.Contains(text, " if not exists"):
		form += "-if-not-exists"
	case conditional:
		form += "-if"
	}
	words := []string{workload.OfCassandra, cmp.Or(form, "statement")}
	switch verb {
	case "select":
		return append(words, workload.Reads)
	case "insert", "update":
		words = append(words, workload.Writes, workload.Upserts)
	case "delete":
		words = append(words, workload.Writes, workload.Deletes)
	}
	if conditional {
		words = append(words, workload.Conditionals)
	}
	return words
}
