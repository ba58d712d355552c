package scenarios

// planMistakes are those in a plan, and in what comes behind it: what is required and expected.
var planMistakes = []mistake{
	{"{start: a}", "{strat: a}", `
mine.yaml:15:6: no fault is called "strat"; did you mean "start"?
   15 |   - {strat: a}
      |      ^^^^^
faults: start stop kill hold release probe
`},
	{"{start: a}", "{start: a, probe: all}", `
mine.yaml:15:16: a step has one fault, and this is its second
   15 |   - {start: a, probe: all}
      |                ^^^^^
write do: [{…: …}, {…: …}], which has an order
`},
	{"{start: a}", "{start: all}", `
mine.yaml:15:13: "start" takes one worker
   15 |   - {start: all}
      |             ^^^
only probe takes all
`},
	{"{hold: a}", "{hold: b}", `
mine.yaml:17:17: b is not started yet: line 18 starts it
   17 |     do: [{hold: b}]
      |                 ^
`},
	{"{hold: a}", "{hold: owner}", `
mine.yaml:17:17: no worker is called "owner"
   17 |     do: [{hold: owner}]
      |                 ^^^^^
workers: a b
`},
	{"do: [{hold: a}]", "do: [{hold: a/flush}]", `
mine.yaml:17:17: a flushes between two polls, and not by itself
   17 |     do: [{hold: a/flush}]
      |                 ^^^^^^^
write a: {flush: apart}, under workers
`},
	{"do: [{hold: a}]", "hold: a", `
mine.yaml:17:5: "hold" goes under "do" in a step that has a "when" or a "do"
   17 |     hold: a
      |     ^^^^
write do: [{hold: …}]
`},
	{"do: [{hold: a}]", "do: {hold: a}", `
mine.yaml:17:9: "do" takes a list, not a mapping
   17 |     do: {hold: a}
      |         ^
`},
	{"do: [{hold: a}]", "do: []", `
mine.yaml:17:9: "do" has nothing to do
   17 |     do: []
      |         ^
faults: start stop kill hold release probe
`},
	{"probe: acct-2", "probe: acct-4", `
mine.yaml:18:51: no account is called "acct-4"
   18 |   - {when: {evicted: a}, do: [{start: b}, {probe: acct-4}]}
      |                                                   ^^^^^^
accounts: acct-1 to acct-3; or all
`},
	{"event: 6", "event: 10", `
mine.yaml:16:45: there is no event 10: the input ends with 9
   16 |   - when: {worker: a, point: folded, event: 10}
      |                                             ^^
`},
	{"point: folded, event: 6", "evicted: a, point: folded", `
mine.yaml:16:12: a trigger waits for an eviction or for a point: it has "evicted", so no "worker"
   16 |   - when: {worker: a, evicted: a, point: folded}
      |            ^^^^^^

mine.yaml:16:35: a trigger waits for an eviction or for a point: it has "evicted", so no "point"
   16 |   - when: {worker: a, evicted: a, point: folded}
      |                                   ^^^^^
`},
	{"{worker: a, point: folded, event: 6}", "[]", `
mine.yaml:16:11: "when" names no moment
   16 |   - when: []
      |           ^
write when: [{worker: a, point: folded}, {worker: b, point: folded}]
`},
	{"{worker: a, point: folded, event: 6}", "[{worker: a, point: folded}, {worker: a, point: polled}]", `
mine.yaml:16:40: a stands still at the first of its moments, and comes to no second in this step
   16 |   - when: [{worker: a, point: folded}, {worker: a, point: polled}]
      |                                        ^
`},
	{"{worker: a, point: folded, event: 6}", "[{evicted: a}, {worker: b, point: folded}]", `
mine.yaml:16:35: b is not started yet: line 18 starts it
   16 |   - when: [{evicted: a}, {worker: b, point: folded}]
      |                                   ^
`},
	{"worker: a, point: folded, event: 6", "event: 6", `
mine.yaml:16:11: a trigger needs "worker" and "point", or "evicted"
   16 |   - when: {event: 6}
      |           ^
write {worker: a, point: folded} or {evicted: a}
`},
	{"point: folded, event: 6", "event: 6", `
mine.yaml:16:11: a trigger needs "point"
   16 |   - when: {worker: a, event: 6}
      |           ^
keys: worker point event answer evicted within
`},
	{"answer: refused", "answer: no", `
mine.yaml:19:57: no answer is called "no"
   19 |   - {when: {worker: b, point: persist-answered, answer: no}, do: [{stop: a}]}
      |                                                         ^^
answers: applied refused failed unknown any
`},
	{"point: persist-answered", "point: before-persist", `
mine.yaml:19:47: nothing is answered at "before-persist", so no answer can be waited for
   19 |   - {when: {worker: b, point: before-persist, answer: refused}, do: [{stop: a}]}
      |                                               ^^^^^^
the points after an answer are those that end in -answered
`},
	{"handovers 1", "handover 1", `
mine.yaml:20:23: no requirement is called "handover"
   20 | requires: [evicted a, handover 1]
      |                       ^^^^^^^^^^
requirements: evicted dirty stale-write rejected-write recovered persisted recovered-state deleted
  reopened handovers
`},
	{"evicted a,", "evicted b, evicted c,", `
mine.yaml:20:31: no worker is called "c"
   20 | requires: [evicted b, evicted c, handovers 1]
      |                               ^
workers: a b
`},
	{"cassandra/cas", "cassandra/csa", `
mine.yaml:22:3: no arm is called "cassandra/csa"; did you mean "cassandra/cas"?
   22 |   cassandra/csa: {holds: all, may: [progress], requires: [rejected-write a]}
      |   ^^^^^^^^^^^^^
arms: cassandra/lww cassandra/cas
`},
	{"holds: all", "holds: all, violates: [progress]", `
mine.yaml:22:31: either all holds or something is violated, not both
   22 | …cassandra/cas: {holds: all, violates: [progress], may: [progress], requires: [rejected…
      |                              ^^^^^^^^
where some may fail and need not, write {holds: all, may: […]}

mine.yaml:22:59: "progress" must fail already, so it goes without saying that it may
   22 | …cas: {holds: all, violates: [progress], may: [progress], requires: [rejected-write a]}
      |                                                ^^^^^^^^
`},
	{"holds: all, ", "", `
mine.yaml:22:18: an expectation needs "holds" or "violates"
   22 |   cassandra/cas: {may: [progress], requires: [rejected-write a]}
      |                  ^
write {holds: all} or {violates: [no-leap]}
`},
	{"holds: all", "holds: true", `
mine.yaml:22:26: "holds" takes all, not true
   22 |   cassandra/cas: {holds: true, may: [progress], requires: [rejected-write a]}
      |                          ^^^^
`},
	{"violates: [no-leap", "violates: [no-leaps", `
mine.yaml:23:30: no property is called "no-leaps"; did you mean "no-leap"?
   23 |   cassandra/lww: {violates: [no-leaps, durable-fold]}
      |                              ^^^^^^^^
properties: no-stale-overwrite durable-fold recovery-cut recovery-complete no-leap no-resurrection
  single-writer progress
`},
	{"violates: [no-leap, durable-fold]", "violates: no-leap", `
mine.yaml:23:29: "violates" takes a list, not the text "no-leap"
   23 |   cassandra/lww: {violates: no-leap}
      |                             ^^^^^^^
write violates: [no-leap]
`},
	{"violates: [no-leap, durable-fold]", "violates: []", `
mine.yaml:23:29: "violates" names no property
   23 |   cassandra/lww: {violates: []}
      |                             ^
write holds: all
`},
	{"violates: [no-leap, durable-fold]", "violates: [no-leap, no-leap], may: [no-leap]", `
mine.yaml:23:39: "no-leap" is given twice
   23 |   cassandra/lww: {violates: [no-leap, no-leap], may: [no-leap]}
      |                                       ^^^^^^^

mine.yaml:23:55: "no-leap" must fail already, so it goes without saying that it may
   23 |   cassandra/lww: {violates: [no-leap, no-leap], may: [no-leap]}
      |                                                       ^^^^^^^
`},
	{"requires: [evicted a", "requires: [&x evicted a, *x", `
mine.yaml:20:12: a scenario has no anchors and aliases
   20 | requires: [&x evicted a, *x, handovers 1]
      |            ^^
what all workers have in common goes under workers: all

mine.yaml:20:26: a scenario has no anchors and aliases
   20 | requires: [&x evicted a, *x, handovers 1]
      |                          ^^
what all workers have in common goes under workers: all
`},
	{"plan:", "---\nplan:", `
mine.yaml:14:1: a file has one scenario, and here another document begins
   14 | ---
      | ^^^
give each scenario its own file
`},
	{"evicted: a}, do", "evicted: a, do", `
mine.yaml:19:3: this is not YAML: ',' or '}' must be specified
   19 |   - {when: {worker: b, point: persist-answered, answer: refused}, do: [{stop: a}]}
      |   ^
a bracket is opened here, or before, and not closed
`},
	{"evicted: a}, do", "evicted: a}, dp", `
mine.yaml:18:5: a step needs "do"
   18 |   - {when: {evicted: a}, dp: [{start: b}, {probe: acct-2}]}
      |     ^
keys: when do after maybe

mine.yaml:18:26: a step has no key "dp"
   18 |   - {when: {evicted: a}, dp: [{start: b}, {probe: acct-2}]}
      |                          ^^
keys: when do after maybe
`},
	{"{start: a}", "{start: [a]}", `
mine.yaml:15:13: "start" takes text, not a list
   15 |   - {start: [a]}
      |             ^
`},
	{"holds: all", "holds: some", `
mine.yaml:22:26: "holds" takes all, not the text "some"
   22 |   cassandra/cas: {holds: some, may: [progress], requires: [rejected-write a]}
      |                          ^^^^
`},
	{"{holds: all, may: [progress], requires: [rejected-write a]}", "{may: [7], requires: {}}", `
mine.yaml:22:18: an expectation needs "holds" or "violates"
   22 |   cassandra/cas: {may: [7], requires: {}}
      |                  ^
write {holds: all} or {violates: [no-leap]}

mine.yaml:22:25: "may" takes a list of words, not 7
   22 |   cassandra/cas: {may: [7], requires: {}}
      |                         ^

mine.yaml:22:39: "requires" takes a list, not a mapping
   22 |   cassandra/cas: {may: [7], requires: {}}
      |                                       ^
`},
	{"[no-leap, durable-fold]}", "[no-leap, durable-fold]}\n  kafka/lww: {holds: all}", `
mine.yaml:24:3: no arm is called "kafka/lww"
   24 |   kafka/lww: {holds: all}
      |   ^^^^^^^^^
arms: cassandra/lww cassandra/cas
`},
	{"do: [{hold: a}]", "do: [hold: a]\n    then: [{release: a}]", `
mine.yaml:18:5: a step has no key "then"; did you mean "when"?
   18 |     then: [{release: a}]
      |     ^^^^
keys: when do after maybe
`},
	{"  cassandra/lww", "...\n  cassandra/lww", `
mine.yaml:24:3: a file has one scenario, and this comes after its end
   24 |   cassandra/lww: {violates: [no-leap, durable-fold]}
      |   ^^^^^^^^^^^^^
`},
}
