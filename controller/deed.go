package controller

import (
	"fmt"
	"strings"

	"github.com/single-writer/chaos/history"
)

// Deed says what a worker did or saw, without what a world may choose for itself: times, member ids and generations. Two runs
// in which each worker's deeds are the same, in the same order, are the same run. It is empty for what is no deed.
func Deed(e history.Event) string {
	s := fmt.Sprintf("%s %s", e.Type, e.F)
	switch v := e.Value.(type) {
	case *history.PointReached:
		s += fmt.Sprintf(" %s p%d %s @%s %s", v.Point, v.Partition, v.Key, v.Offset, v.Outcome)
	case *history.Recovery:
		s += fmt.Sprintf(" p%d from %d %v", v.Partition, v.Start, v.Keys)
		for _, k := range v.States {
			s += fmt.Sprintf(" [%s %v floor %s]", k.Key, k.State, k.Floor)
		}
	case *history.JournalWrite:
		s += fmt.Sprintf(" %s @%d %s %s", v.Key, v.Offset, v.Write, v.Code)
	case *history.JournalRemoval:
		s += fmt.Sprintf(" %s %s", v.Key, v.Code)
	case *history.JournalRows:
		s += " " + v.Key
		for _, r := range v.Rows {
			s += fmt.Sprintf(" @%d by %s", r.Offset, r.Write)
		}
	case *history.KeyWrite:
		s += fmt.Sprintf(" %s %s", v.Key, v.Code)
	case *history.KeyList:
		s += fmt.Sprintf(" %v", v.Keys)
	case *history.RowRead:
		s += " " + v.Key
		if v.Row != nil {
			s += fmt.Sprintf(" @%s by %s", v.Row.Offset, v.Row.Write)
		}
	case *history.Write:
		s += fmt.Sprintf(" %s @%d %s %s stored %s", v.Key, v.Offset, v.Write, v.Code, v.Stored)
		for _, st := range v.Statements {
			s += fmt.Sprintf(" [%s %s %s]", st.CQL, st.Result, st.Stored)
		}
	case *history.OffsetCommit:
		s += fmt.Sprintf(" p%d %d %s", v.Partition, v.Offset, v.Code)
	case *history.LifeEvent:
		s += " " + v.Status
	case *history.FaultDone:
		s += fmt.Sprintf(" %s %s %s", v.Phase, v.Fault, v.Target)
	case *history.PlanStep:
		s += fmt.Sprintf(" %s %d %s", v.Of, v.Step, v.Status)
	case *history.Produced:
		s += fmt.Sprintf(" event %d of %s", v.Event.ID, v.Event.Account)
	default:
		return ""
	}
	return strings.Join(strings.Fields(s), " ")
}
