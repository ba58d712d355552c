package scenarios

import (
	"github.com/single-writer/chaos/workload"
)

// What a mapping of a scenario's file is called in messages and in the reference.
const (
	aScenario     = "a scenario"
	anInput       = "an input"
	aStage        = "a stage"
	aStep         = "a step"
	aTrigger      = "a trigger"
	anExpectation = "an expectation"
	aRandomInput  = "a random input"
	aRandomPlan   = "a random plan"
)

// Key is a word that a scenario's file may have in one of its mappings.
type Key struct{ Of, Name, Meaning string }

// Keys are all of them, in the order in which a message lists them. What is called a setting has a list of its own.
func Keys() []Key {
	return []Key{
		{aScenario, "name", "what the scenario is called"},
		{aScenario, "about", "one sentence that says what happens"},
		{aScenario, "source", "where it comes from: an issue, a KIP"},
		{aScenario, "race", "what the scenario leaves to chance on real servers, where its steps need not come in the simulator's order"},
		{aScenario, "cluster", "`kafka` and `cassandra`: how many servers of each the scenario needs, 1 (where it says nothing) or 3; a cluster that has more serves"},
		{aScenario, "input", "what is produced"},
		{aScenario, "workers", "[settings](#settings-of-a-worker) of `all` workers, and under a worker's name of that one; under `random` the values " +
			"of which the seed chooses: `{persist-every: [0s, 1s]}`"},
		{aScenario, "plan", "what is done, step by step; or `{random: …}`"},
		{aScenario, "requires", "what must be seen to have happened, or the run is vacuous: `chaos list requires`"},
		{aScenario, "expect", "by arm, what must come of it"},

		{anInput, "partitions", "of the input topic; account *i* goes to partition *i* - 1 modulo their number"},
		{anInput, "keys", "accounts: `acct-1`, `acct-2`, ..."},
		{anInput, "stages", "events that are produced one stage after another"},
		{anInput, "random", "in the place of `stages`: they come from the seed"},

		{aStage, "events", "`1-6`, or `7`: their numbers, which go on where the stage before ended"},
		{aStage, "kind", "`post` (where it says nothing) or `close`"},
		{aStage, "key", "the number of the one account that they are of; without it they take turns"},
		{aStage, "when", "the moment that the stage waits for: a trigger. It is looked out for from before the stage before on"},
		{aStage, "after", "how long the stage waits more"},

		{aStep, "when", "the moment that the step waits for, or a list of them, of different workers, all of which must come. The step's " +
			"workers stand still there until all of `do` is done"},
		{aStep, "do", "faults, one after another: `chaos faults`. A step that is one fault alone may be written `{start: a}`"},
		{aStep, "after", "how long to wait before the step looks out for its moment, or begins where it has none"},
		{aStep, "maybe", "`true`: what cannot be done, since its worker is not there, is passed over and not an error"},

		{aTrigger, "worker", "whose moment it is, in whatever life"},
		{aTrigger, "point", "where the worker is: `chaos list points`"},
		{aTrigger, "event", "the number of an event that the point covers; a later one counts too"},
		{aTrigger, "answer", "at a point that ends in -answered, what came of it: `applied`, `refused`, `failed` (it had no effect, and was not refused), `unknown` or `any`. Without it " +
			"`commit-answered` waits for an accepted commit, and the others take any answer"},
		{aTrigger, "evicted", "in the place of `worker` and `point`: the worker that the coordinator is not to list any more"},
		{aTrigger, "within", "how long to wait for it, 30s where it says nothing; then the plan, or the input, ends there, and the run is vacuous"},

		{anExpectation, "holds", "`all`: no property may fail"},
		{anExpectation, "violates", "exactly the properties that must fail"},
		{anExpectation, "may", "properties that may fail, and need not"},
		{anExpectation, "requires", "what must be seen to have happened under this arm, beside what the scenario requires"},

		{aRandomInput, "events", "how many"},
		{aRandomInput, "closes", "how many of them close their account, at most"},
		{aRandomInput, "pause", "the longest time between two stages"},

		{aRandomPlan, "workers", "how many: a, b, c, ..."},
		{aRandomPlan, "faults", "how many are drawn"},
		{aRandomPlan, "pause", "the longest time between two of them"},
		{aRandomPlan, "of", "which faults, each with how often against the others: `{hold: 4, kill: 1}`; 0 is never. What is done to a server is " +
			"done to one at a time, and healed before the next"},
		{aRandomPlan, "at-most", "of some of them, how often at most: `{kill-server: 2}`"},
		{aRandomPlan, "healthy", "how long all servers are well, at least, between two that are not; 500ms where it says nothing"},
		{aRandomPlan, "points", "those at which a fault may be done; without it any: `chaos list points`"},
	}
}

// keysOf are the keys of one mapping.
func keysOf(what string) []string {
	var names []string
	for _, k := range Keys() {
		if k.Of == what {
			names = append(names, k.Name)
		}
	}
	return names
}

// Setting is a setting of a worker.
type Setting struct{ Name, Meaning, Default string }

// Settings are all of them.
func Settings() []Setting {
	var out []Setting
	standard := workload.DefaultConfig("")
	for _, s := range settings {
		out = append(out, Setting{s.key, s.meaning, s.text(&standard)})
	}
	return out
}
