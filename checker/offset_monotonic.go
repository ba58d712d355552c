package checker

import (
	"fmt"

	"github.com/single-writer/chaos/history"
)

// checkOffsetMonotonic compares the entries of the group's own log with those before them, and what was answered with what had
// been answered before its call; explained/offset-monotonic.md is the definition.
//
// Source: Kafka's group coordinator, which refuses a commit by its generation and never by its offset.
func checkOffsetMonotonic(r *Run) Result {
	m := monotony{run: r}
	contradicted := 0
	for _, p := range r.partitions {
		if c := r.commits[p]; c != nil {
			m.inLog(p, c)
			m.byAnswers(p, c)
			m.lost(p, c)
			if c.contradicted {
				contradicted++
			}
		}
	}
	counts := map[string]int{"compared": m.compared}
	return m.found.result(r, counts,
		fmt.Sprintf("In %s, no committed offset was below one before it.", count(m.compared, "observation")),
		instead{contradicted > 0, Unknown, fmt.Sprintf(
			"In %s the group's log contradicts what the coordinator answered.", count(contradicted, "partition"))},
		instead{m.compared == 0, Vacuous, "No committed offset was seen after another."})
}

// monotony is the check under way.
type monotony struct {
	run      *Run
	found    finding
	compared int
}

// inLog compares each entry of the log with the highest before it.
func (m *monotony) inLog(p int32, c *commits) {
	for i, top := 1, 0; i < len(c.log); i++ {
		m.compared++
		e, highest := &c.log[i], &c.log[top]
		if e.offset >= highest.offset {
			top = i
			continue
		}
		m.found.add(e.before, func() (string, []int) {
			return fmt.Sprintf("Partition %d had %d committed, and after that, in the group's log, %s: %s to be read again.",
					p, highest.offset, m.run.log.told(e), count(int(highest.offset-e.offset), "offset")),
				[]int{highest.note, highest.call, e.note, e.call}
		})
	}
}

// byAnswers compares what was accepted or read back with what had been answered before it was called. Accepted commits
// have been judged already where the log has them all.
func (m *monotony) byAnswers(p int32, c *commits) {
	for _, x := range c.all {
		top, ok := highestBefore(c.observed, x.call, 0)
		if !ok || x.outcome != history.OK || x.commit && c.whole {
			continue
		}
		m.compared++
		if x.offset >= top.offset {
			continue
		}
		m.found.add(x.answer, func() (string, []int) {
			how := "was read back"
			if x.commit {
				how = "was accepted from " + x.process
			}
			return fmt.Sprintf("Partition %d had %d committed, and after that %d %s: %s to be read again.", p, top.offset,
				x.offset, how, count(int(top.offset-x.offset), "offset")), append(c.proof(top), x.call, x.answer)
		})
	}
}

// lost finds the acknowledged commits that the log does not have.
func (m *monotony) lost(p int32, c *commits) {
	for _, x := range c.lost {
		m.compared++
		m.found.add(m.run.log.end, func() (string, []int) {
			return fmt.Sprintf("%s's commit of %d of partition %d was accepted, and the group's log does not have it.",
				x.process, x.offset, p), []int{x.call, x.answer, m.run.log.end}
		})
	}
}
