package clients

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCreateTable(t *testing.T) {
	want := "CREATE TABLE k.t (a text, b int, c bigint, d blob, PRIMARY KEY ((a, b), c))"
	got := table{"t", []column{
		{"a", "text", "partition_key"}, {"b", "int", "partition_key"}, {"c", "bigint", "clustering"}, {"d", "blob", "regular"},
	}}.create("k")
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// What a keyspace holds is compared table by table and column by column, in whatever order the server lists them.
func TestDifferences(t *testing.T) {
	const snapshots = "snapshots_v2"
	as := func(change func(columns []column) []column) map[string][]column {
		found := map[string][]column{}
		for _, t := range tables {
			found[t.name] = append([]column{}, t.columns...)
		}
		found[snapshots] = change(found[snapshots])
		return found
	}
	for _, c := range []struct {
		name  string
		found map[string][]column
		want  []string
	}{
		{"the same, in another order, with a table of somebody else", func() map[string][]column {
			found := as(func(cs []column) []column { return append(cs[1:], cs[0]) })
			found["other"] = []column{{"k", "text", "partition_key"}}
			return found
		}(), nil},
		{"a column less", as(func(cs []column) []column { return cs[:len(cs)-1] }),
			[]string{"snapshots_v2.value is not there; expected: blob"}},
		{"a column more", as(func(cs []column) []column { return append(cs, column{"version", "int", "static"}) }),
			[]string{"snapshots_v2.version is static int; expected: no such column"}},
		{"another type", as(func(cs []column) []column { cs[5].cqlType = "int"; return cs }),
			[]string{"snapshots_v2.offset is int; expected: bigint"}},
		{"another key", as(func(cs []column) []column { cs[4].kind = "clustering"; return cs }),
			[]string{"snapshots_v2.key is text of the clustering key; expected: text of the partition key"}},
	} {
		if d := cmp.Diff(c.want, differences(c.found)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
	if n := len(differences(nil)); n != len(tables) {
		t.Errorf("an empty keyspace lacks %d tables, not %d", n, len(tables))
	}
}

func TestKeyspaceError(t *testing.T) {
	for _, c := range []struct {
		e    KeyspaceError
		want string
	}{
		{KeyspaceError{Keyspace: "k", Tables: []string{"a", "b"}},
			"the keyspace k is there already, and a run makes one that is its own\n  it holds a, b, as a run would make it"},
		{KeyspaceError{Keyspace: "k", Differences: []string{"x", "y"}},
			"the keyspace k is there already, and a run makes one that is its own\n  it holds no table; a run would make it otherwise:\n    x\n    y"},
	} {
		if got := c.e.Error(); got != c.want {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
	}
}
