package controller_test

import (
	"os"
	"slices"
	"testing"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/containers/containerstest"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/runtest"
	"github.com/single-writer/chaos/workload/persistence"
)

// alsoOnThree are scenarios of one server of each kind that are tried on three as well, since these could tell: an eviction with its
// late write, a commit in doubt, keys that are deleted, groups of either kind.
var alsoOnThree = []string{"stale-periodic-flush", "commit-in-doubt", "zombie-revives-deleted-key", "two-partitions-one-lost-cooperative"}

// longOnThree are scenarios of minutes, in which server after server is harmed and healed: the full fence goes through them for all arms,
// but with CHAOS_THREE=1.
var longOnThree = []string{"rolling-restart", "servers-random"}

// TestContainersThree runs on three brokers and three nodes what needs as many, and some of what does not, or with CHAOS_THREE=1
// (`make three`) the whole catalogue: it must come to the same as with one of each.
func TestContainersThree(t *testing.T) {
	one, whole := cluster.Size{}, os.Getenv("CHAOS_THREE") == "1"
	for _, s := range runtest.Catalogue(t) {
		if one.Serves(controller.SizeFor(s)) && !slices.Contains(alsoOnThree, s.Name) && !whole {
			continue
		}
		s.Cluster.Kafka, s.Cluster.Cassandra = 3, 3
		for _, arm := range s.Arms() {
			if slices.Contains(longOnThree, s.Name) && arm != persistence.CassandraCAS && !whole {
				continue
			}
			t.Run(s.Name+"/"+arm, func(t *testing.T) { inBothWorlds(t, containerstest.Three(t), s, arm, 1) })
		}
	}
}
