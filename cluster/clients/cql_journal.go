package clients

import (
	"fmt"
	"slices"

	"github.com/single-writer/chaos/workload/persistence"
)

// journalQuery is a statement on the journal as CQL, with its values in order. A key's rows come by their offsets, which
// cluster them.
func (r *rows) journalQuery(s persistence.Statement) (cql string, values []any, err error) {
	table := r.table(persistence.Journal)
	key := []any{applicationID, r.group, r.topic, s.Partition, s.Key}
	switch {
	case s.If != persistence.Always:
	case s.Verb == persistence.Select:
		return "SELECT " + columns + " FROM " + table + " WHERE " + rowKey, key, nil
	case s.Verb == persistence.Scan:
		return "SELECT partition, key, " + columns + " FROM " + table + ofRun, key[:3], nil
	case s.Verb == persistence.Insert:
		return "INSERT INTO " + table + " (application_id, group_id, topic, partition, key, offset, created, metadata, value)" +
				" VALUES (?, ?, ?, ?, ?, ?, toTimestamp(now()), ?, ?)" + using(s),
			slices.Concat(key, []any{s.Offset, s.Metadata, blob(s.Value)}, usingValues(s)), nil
	case s.Verb == persistence.Remove:
		return "DELETE FROM " + table + using(s) + " WHERE " + rowKey, append(usingValues(s), key...), nil
	}
	return "", nil, fmt.Errorf("no form of CQL for a %s", s.Form())
}

// keysQuery is a statement on the keys as CQL, with its values in order. A partition's keys come by their names, which
// cluster them.
func (r *rows) keysQuery(s persistence.Statement) (cql string, values []any, err error) {
	table := r.table(persistence.Keys)
	key := []any{applicationID, r.group, r.topic, s.Partition, s.Key}
	switch {
	case s.If != persistence.Always:
	case s.Verb == persistence.Select:
		return "SELECT key, metadata FROM " + table + " WHERE " + partitionKey, key[:4], nil
	case s.Verb == persistence.Insert:
		return "INSERT INTO " + table + " (application_id, group_id, topic, partition, key, created, metadata)" +
			" VALUES (?, ?, ?, ?, ?, toTimestamp(now()), ?)" + using(s), slices.Concat(key, []any{s.Metadata}, usingValues(s)), nil
	case s.Verb == persistence.Remove:
		return "DELETE FROM " + table + using(s) + " WHERE " + rowKey, append(usingValues(s), key...), nil
	}
	return "", nil, fmt.Errorf("no form of CQL for a %s", s.Form())
}
