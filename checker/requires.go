package checker

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/single-writer/chaos/history"
)

// Requirement is a precondition of a scenario: something that the history must show, or else a run in which nothing broke
// only shows that nothing was tried.
type Requirement struct {
	// Text is the requirement as the scenario wrote it.
	Text string
	// Word is its first word; Worker and N are what follows, by the word.
	Word   string
	Worker string
	N      int
}

// RequirementWord is a word that a scenario may use in requires.
type RequirementWord struct {
	// Form is the word with what follows it: "evicted W", where W is a worker's name.
	Form    string `json:"form"`
	Meaning string `json:"meaning"`
	// Ordered words must have their evidence in the order in which the scenario lists them.
	Ordered bool `json:"ordered,omitempty"`
}

// requirementWord is one with how it is looked for.
type requirementWord struct {
	RequirementWord
	find func(*Run, Requirement, int) (moment, string)
}

// words are all words, those of the stale-write scenarios in the order in which such a run shows them.
var words = []requirementWord{
	{RequirementWord{"evicted W", "between the hold of W and the next owner's `assigned`, the coordinator no more listed W",
		true}, findEvicted},
	{RequirementWord{"dirty W", "W had folded a record, and no write at or above its offset had been acknowledged; after " +
		"`evicted W` it says that W was evicted dirty", true}, findDirty},
	{RequirementWord{"stale-write W", "W called a write after a probe had shown a newer state and another owner's commit " +
		"beyond it was accepted; it was answered, applied or refused; nobody else wrote the key before the next owner's " +
		"recovery; a probe that shows no row counts if a close below that commit explains it", true}, findStaleWrite},
	{RequirementWord{"recovered W", "W finished a recovery of some key", true}, findRecovered},
	{RequirementWord{"persisted W", "after it, in the same life, W persisted a record of its keys from its start on, " +
		"acknowledged", true}, findPersisted},
	{RequirementWord{"rejected-write W", "the stale write was refused by the row's condition, which named the offset that " +
		"the probe had shown", false}, findRejectedWrite},
	{RequirementWord{"lost-first-write W", "a write of W found no row, and the row that it then made was there already, " +
		"another's", false}, findLostFirstWrite},
	{RequirementWord{"recovered-state W", "a recovery of W found a value", false}, findRecoveredState},
	{RequirementWord{"deleted", "a delete was acknowledged", false}, findDeleted},
	{RequirementWord{"reopened", "after that, a later record of the key was persisted, acknowledged", false}, findReopened},
	{RequirementWord{"lost-answer W", "a write of W was applied, and W was not told", false}, lost(history.FaultLoseAnswer)},
	{RequirementWord{"lost-write W", "a write of W was lost before it came to the store; a driver may have sent it again", false}, lost(history.FaultLoseWrite)},
	{RequirementWord{"lost-commit W", "a commit of W was lost before it came to the coordinator", false}, lost(history.FaultLoseCommit)},
	{RequirementWord{"lost-commit-answer W", "a commit of W was accepted, and the answer was lost", false}, lost(history.FaultLoseCommitAnswer)},
	{RequirementWord{"write-in-doubt W", "a write of W ended without W knowing what came of it", false}, inDoubt(history.F.IsWrite)},
	{RequirementWord{"commit-in-doubt W", "a commit of W did", false}, inDoubt(func(f history.F) bool { return f == history.Commit })},
	{RequirementWord{"handovers N", "one partition was recovered by another life than before, N times", false}, findHandovers},
	{RequirementWord{"kept W", "a commit of W was accepted under a newer generation than that of its last recovery of the " +
		"partition, in the same life: it kept the partition in a rebalance", false}, findKept},
}

// RequirementWords are the words that requires may use, with their meaning.
func RequirementWords() []RequirementWord {
	var out []RequirementWord
	for _, w := range words {
		out = append(out, w.RequirementWord)
	}
	return out
}

// ParseRequirement reads one entry of requires. The error names the words that there are.
func ParseRequirement(text string) (Requirement, error) {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return Requirement{}, fmt.Errorf("an empty requirement; %s", knownWords())
	}
	for _, w := range words {
		word, arg, _ := strings.Cut(w.Form, " ")
		if word != fields[0] {
			continue
		}
		req := Requirement{Text: strings.Join(fields, " "), Word: word}
		switch {
		case arg == "" && len(fields) == 1:
			return req, nil
		case arg == "W" && len(fields) == 2:
			req.Worker = fields[1]
			return req, nil
		case arg == "N" && len(fields) == 2:
			n, err := strconv.Atoi(fields[1])
			if err == nil && n > 0 {
				req.N = n
				return req, nil
			}
		}
		return Requirement{}, fmt.Errorf("requirement %q: it is written %q", text, w.Form)
	}
	return Requirement{}, fmt.Errorf("requirement %q: there is no word %q; %s", text, fields[0], knownWords())
}

func knownWords() string {
	var b strings.Builder
	b.WriteString("the words are:")
	for _, w := range words {
		fmt.Fprintf(&b, "\n  %s: %s", w.Form, w.Meaning)
	}
	return b.String()
}

// Met is what a run shows of a requirement.
type Met struct {
	Requirement string `json:"requirement"`
	Met         bool   `json:"met"`
	// Missing says in a sentence what the history does not show.
	Missing  string     `json:"missing,omitempty"`
	Evidence []Evidence `json:"evidence,omitempty"`
}

// moment is when a requirement came to be met, with the events that show it.
type moment struct {
	at       int
	evidence []int
}

// Requirements evaluates a list of requirements in its order. Those that tell the story of a stale write must be met one
// after the other: each is looked for from where the one before was found. A word that is not known is not met, and says so.
func (r *Run) Requirements(texts []string) []Met {
	out := make([]Met, 0, len(texts))
	from := 0
	for _, text := range texts {
		req, err := ParseRequirement(text)
		if err != nil {
			out = append(out, Met{Requirement: text, Missing: err.Error()})
			continue
		}
		m := Met{Requirement: req.Text}
		for _, w := range words {
			if word, _, _ := strings.Cut(w.Form, " "); word != req.Word {
				continue
			}
			after := 0
			if w.Ordered {
				after = from
			}
			var at moment
			at, m.Missing = w.find(r, req, after)
			if m.Missing != "" {
				break
			}
			m.Met, m.Evidence = true, r.witness(at.evidence...)
			if w.Ordered {
				from = at.at
			}
		}
		out = append(out, m)
	}
	return out
}
