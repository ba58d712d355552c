package nemesis

import (
	"slices"
	"strings"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

// registry is all faults, sorted by name.
var registry = slices.SortedFunc(slices.Values(slices.Concat(onWorkers, onMessages, onWires, onRows, onServers)),
	func(a, b Fault) int { return strings.Compare(a.Name, b.Name) })

// What is healed by itself, or by another fault.
const (
	healsByItself = "none is needed"
	nextLife      = "`start`: its next life"
)

// onWorkers are done to a worker's process and its membership.
var onWorkers = []Fault{
	{
		Name: history.FaultEvict, On: []Kind{Worker},
		Does:  "takes the worker out of its group, as the Java client's heartbeat thread does past max.poll.interval",
		Proof: "the coordinator's raw answer lists it no more", Heal: "the worker joins again by itself", do: (*Runner).evict,
	},
	{
		Name: history.FaultFail, On: []Kind{Worker},
		Does:  "makes the worker's next fold end in an error, as a poison record does, and releases it if it is held",
		Proof: "it stands in `teardown`, before it gives anything up", Heal: "its next life comes by itself", do: (*Runner).fail,
	},
	{
		Name: history.FaultHold, On: []Kind{Worker, Flush},
		Does:  "keeps the worker in the point that it stands in or comes to next; its heartbeats and its poll clock go on",
		Proof: "it stands inside a point", Heal: "`release`", do: (*Runner).hold,
	},
	{
		Name: history.FaultKill, On: []Kind{Worker},
		Does: "ends the worker as a crash does: it sends nothing more, not even a goodbye",
		Proof: "its process has unwound; the coordinator's raw answer, which goes on listing it until its session is over; while a " +
			"broker is not well it is not asked",
		Heal: nextLife, do: (*Runner).kill,
	},
	{
		Name: history.FaultRelease, On: []Kind{Worker, Flush},
		Does: "lets a held worker go on", Proof: "it is held no more", do: (*Runner).release,
	},
	{
		Name: history.FaultStart, On: []Kind{Worker},
		Does: "starts the worker, in its next life", Proof: "its process has begun", do: (*Runner).start,
	},
	{
		Name: history.FaultStop, On: []Kind{Worker},
		Does: "ends the worker without flush or commit; it leaves the group if it is still in it, but as a static member",
		Proof: "its process has unwound, and the coordinator's raw answer does not list it; while a broker is not well it is not " +
			"asked",
		Heal: nextLife, do: (*Runner).stop,
	},
}

// onMessages are done to what a worker asks and is answered.
var onMessages = []Fault{
	{
		Name: history.FaultDeliver, On: []Kind{Worker},
		Does: "lets the worker's last commit that `lose-commit` has kept from the coordinator come there after all: it was only " +
			"late",
		Proof: "the coordinator's answer", do: (*Runner).deliver,
	},
	{
		Name: history.FaultLose, On: []Kind{Worker},
		Does: "loses the answer that the worker awaits, whatever the request: it goes on, and nobody learns what came of it or " +
			"sends it again",
		Proof: "it awaits no answer any more", Heal: healsByItself, do: (*Runner).lose,
	},
	{
		Name: history.FaultLoseAnswer, On: []Kind{Worker},
		Does: "lets the store do what the worker writes next, and cuts the connection before the worker is told; a DELETE is " +
			"passed over, for which there is `cut-message`",
		Proof: "what of the answer was held back, once it was", Heal: healsByItself, arm: losing(workload.Upserts, workload.Answer),
	},
	{
		Name: history.FaultLoseCommit, On: []Kind{Worker},
		Does:  "cuts the connection under the worker's next commit, before the coordinator is asked",
		Proof: "what of the request was not sent, once it was not", Heal: healsByItself, arm: losing("OffsetCommit", workload.Request),
	},
	{
		Name: history.FaultLoseCommitAnswer, On: []Kind{Worker},
		Does:  "lets the coordinator accept the worker's next commit, and cuts the connection before the worker is told",
		Proof: "what of the answer was held back, once it was", Heal: healsByItself, arm: losing("OffsetCommit", workload.Answer),
	},
	{
		Name: history.FaultLoseWrite, On: []Kind{Worker},
		Does: "cuts the connection under what the worker writes next, before the store is asked; a DELETE is passed " +
			"over, for which there is `cut-message`",
		Proof: "what of the request was not sent, once it was not", Heal: healsByItself, arm: losing(workload.Upserts, workload.Request),
	},
	{
		Name: history.FaultPhantom, On: []Kind{Worker},
		Does: "tells the worker's next first write that somebody else has made the row, which is gone again when it looks: a row " +
			"that lived for a moment",
		Proof: "it will be told so", Heal: healsByItself, do: (*Runner).phantom,
	},
	{
		Name: history.FaultUnreachable, On: []Kind{Worker},
		Does:  "makes the worker's next statement find no connection to the store: it is not sent, and the worker is told so",
		Proof: "it has no connection for its next statement", Heal: healsByItself, do: (*Runner).unreachable,
	},
}

// onRows are done to rows, or look at them.
var onRows = []Fault{
	{
		Name: history.FaultExpire, On: []Kind{Account},
		Does:  "makes the offset and the value of one account's row null, as the end of their TTL does; all else of it lives on",
		Proof: "a plain read shows the row without them", do: (*Runner).expire,
	},
	{
		Name: history.FaultProbe, On: []Kind{Account, Accounts},
		Does:  "reads the rows of `all` keys, or of one, and the committed offsets, plainly",
		Proof: "the reads are in the history", do: (*Runner).probe,
	},
	{
		Name: history.FaultReap, On: []Kind{Account},
		Does: "takes one account's whole row away, as the end of the TTL of all of it does: its offset goes too, and with it what " +
			"refuses older writes",
		Proof: "a plain read before says whose row it was, one after what is there", do: (*Runner).reap,
	},
}
