package clients

import (
	"fmt"
	"slices"

	"github.com/single-writer/chaos/workload/persistence"
)

// columns are read in this order; times are the further ones with write times and the rest of the life.
const (
	columns = "offset, metadata, value"
	times   = ", WRITETIME(offset), WRITETIME(value), TTL(value)"
	// The rows of a run, those of one partition of its input, and the one of a key.
	ofRun        = " WHERE application_id = ? AND group_id = ? AND topic = ? ALLOW FILTERING"
	partitionKey = "application_id = ? AND group_id = ? AND topic = ? AND partition = ?"
	rowKey       = partitionKey + " AND key = ?"
)

// query is a statement as CQL, with its values in order.
func (r *rows) query(s persistence.Statement) (cql string, values []any, err error) {
	switch s.Table {
	case persistence.Journal:
		return r.journalQuery(s)
	case persistence.Keys:
		return r.keysQuery(s)
	}
	table := r.table(persistence.Snapshots)
	key := []any{applicationID, r.group, r.topic, s.Partition, s.Key}
	selected := columns
	if s.Writetimes {
		selected += times
	}
	switch s.Verb {
	case persistence.Select:
		return "SELECT " + selected + " FROM " + table + " WHERE " + rowKey, key, nil
	case persistence.Scan:
		return "SELECT partition, key, " + selected + " FROM " + table + ofRun, key[:3], nil
	case persistence.Update:
		cql = "UPDATE " + table + using(s) + " SET offset = ?, created = toTimestamp(now()), metadata = ?, value = ? WHERE " + rowKey
		values = append([]any{offset(s), s.Metadata, blob(s.Value)}, key...)
	case persistence.Insert:
		cql = "INSERT INTO " + table + " (application_id, group_id, topic, partition, key, offset, created, metadata, value)" +
			" VALUES (?, ?, ?, ?, ?, ?, toTimestamp(now()), ?, ?)"
		values = slices.Concat(key, []any{offset(s), s.Metadata, blob(s.Value)})
	case persistence.Expire:
		cql = "UPDATE " + table + using(s) + " SET offset = null, value = null WHERE " + rowKey
		values = key
	case persistence.Remove:
		cql = "DELETE FROM " + table + using(s) + " WHERE " + rowKey
		values = key
	}
	if s.Verb != persistence.Insert {
		values = append(usingValues(s), values...)
	}
	switch s.If {
	case persistence.Always:
		if s.Verb == persistence.Insert {
			return "", nil, fmt.Errorf("no form of CQL for a plain %s", s.Form())
		}
	case persistence.IfOffsetAtMost:
		cql += " IF offset <= ?"
		values = append(values, offset(s))
	case persistence.IfOffsetNull:
		cql += " IF offset = null"
	case persistence.IfExists:
		cql += " IF EXISTS"
	case persistence.IfNotExists:
		cql += " IF NOT EXISTS"
	}
	if s.Verb == persistence.Insert {
		cql, values = cql+using(s), append(values, usingValues(s)...)
	}
	return cql, values, nil
}

// using gives a plain statement its explicit timestamp: the history has the one that counted. A conditional one can't have
// any.
func using(s persistence.Statement) string {
	switch plain, mortal := s.If == persistence.Always, s.TTL > 0; {
	case plain && mortal:
		return " USING TIMESTAMP ? AND TTL ?"
	case plain:
		return " USING TIMESTAMP ?"
	case mortal:
		return " USING TTL ?"
	}
	return ""
}

// usingValues are what using leaves open.
func usingValues(s persistence.Statement) []any {
	var values []any
	if s.If == persistence.Always {
		values = append(values, s.Timestamp)
	}
	if s.TTL > 0 {
		values = append(values, s.TTL)
	}
	return values
}

// offset is the statement's offset, or a null.
func offset(s persistence.Statement) any {
	if s.NoOffset {
		return nil
	}
	return s.Offset
}

// blob makes a nil value a null, and not an empty blob.
func blob(v []byte) any {
	if v == nil {
		return nil
	}
	return v
}

// forms are one statement of every form that the arms and the observer use, on the given key: what is prepared, and tried,
// before the first run.
func forms(key string) []persistence.Statement {
	at := func(s persistence.Statement) persistence.Statement {
		s.Key, s.Offset, s.Metadata, s.Value, s.Timestamp = key, 1, "{}", []byte("{}"), 1
		return s
	}
	var out []persistence.Statement
	for _, s := range persistence.Shapes() {
		s.Writetimes = s.Verb == persistence.Scan && s.Table == persistence.Snapshots
		out = append(out, at(s))
	}
	return append(out, at(persistence.Statement{Verb: persistence.Select, Writetimes: true}))
}
