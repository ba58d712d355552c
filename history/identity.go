package history

import "fmt"

// identity is what of an operation's value its answer repeats: an answer about something else than was asked for belongs to
// another call, and a history that has one was not recorded by this rig, or was changed.
func identity(value any) string {
	switch v := value.(type) {
	case *Produced:
		return fmt.Sprintf("event %d in partition %d", v.Event.ID, v.Partition)
	case *Recovery:
		return fmt.Sprintf("partition %d from %d by %s in generation %d", v.Partition, v.Start, v.Member, v.Generation)
	case *RowRead:
		return fmt.Sprintf("%s of partition %d", v.Key, v.Partition)
	case *Write:
		return fmt.Sprintf("write %s of %s @%d in partition %d by %s in generation %d", v.Write, v.Key, v.Offset, v.Partition,
			v.Member, v.Generation)
	case *JournalWrite:
		return fmt.Sprintf("write %s of %s @%d in partition %d by %s in generation %d", v.Write, v.Key, v.Offset, v.Partition,
			v.Member, v.Generation)
	case *JournalRemoval:
		return fmt.Sprintf("the journal of %s in partition %d by %s in generation %d", v.Key, v.Partition, v.Member, v.Generation)
	case *JournalRows:
		return fmt.Sprintf("the journal of %s in partition %d by %s in generation %d", v.Key, v.Partition, v.Member, v.Generation)
	case *KeyWrite:
		return fmt.Sprintf("%s of partition %d by %s in generation %d", v.Key, v.Partition, v.Member, v.Generation)
	case *KeyList:
		return fmt.Sprintf("the keys of partition %d by %s in generation %d", v.Partition, v.Member, v.Generation)
	case *OffsetCommit:
		return fmt.Sprintf("offset %d of partition %d by %s in generation %d", v.Offset, v.Partition, v.Member, v.Generation)
	case *CommittedOffset:
		return fmt.Sprintf("partition %d", v.Partition)
	}
	return ""
}
