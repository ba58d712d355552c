package scenarios

import "strings"

// mistake is a part of mine, what stands there instead, and the whole message.
type mistake struct{ is, instead, want string }

func (m mistake) broken() string { return strings.Replace(mine, m.is, m.instead, 1) }

// mistakes are those in what a scenario is called, its cluster, its input and its workers.
var mistakes = []mistake{
	{"point: folded", "point: folde", `
mine.yaml:16:30: no point is called "folde"; did you mean "folded"?
   16 |   - when: {worker: a, point: folde, event: 6}
      |                              ^^^^^
points: assigned recover-begin recovered polled folded journal-answered flush-under-way
  before-persist persist-sent persist-answered before-delete delete-sent delete-answered
  before-commit commit-sent commit-answered revoked lost flush-on-revoke teardown
`},
	{"events: 1-6", "evnts: 1-6", `
mine.yaml:8:8: a stage has no key "evnts"; did you mean "events"?
    8 |     - {evnts: 1-6}
      |        ^^^^^
keys: events kind key when after
`},
	{"kafka: 1", "kafka: 2", `
mine.yaml:3:18: "kafka" takes 1 or 3, not 2
    3 | cluster: {kafka: 2, cassandra: 3}
      |                  ^
`},
	{"kafka: 1", "kafka: 1, kafka: 1", `
mine.yaml:3:21: "kafka" is given twice: line 3 has it too
    3 | cluster: {kafka: 1, kafka: 1, cassandra: 3}
      |                     ^^^^^
`},
	{"partitions: 2", "partitions: two", `
mine.yaml:5:15: "partitions" takes a number, not the text "two"
    5 |   partitions: two
      |               ^^^
numbers are whole, in plain digits
`},
	{"partitions: 2", "partitions: 65", `
mine.yaml:5:15: "partitions" takes a number from 1 to 64, not 65
    5 |   partitions: 65
      |               ^^
`},
	{"keys: 3", "keys: 0x10", `
mine.yaml:6:9: "keys" takes a number, not 0x10
    6 |   keys: 0x10
      |         ^^^^
numbers are whole, in plain digits
`},
	{"keys: 3", "keys:", `
mine.yaml:6:3: "keys" has no value
    6 |   keys:
      |   ^^^^
`},
	{"keys: 3", "keys: 10001", `
mine.yaml:6:9: "keys" takes a number from 1 to 10000, not 10001
    6 |   keys: 10001
      |         ^^^^^
`},
	{"name: mine", "name: Mine", `
mine.yaml:1:7: "Mine" is no name
    1 | name: Mine
      |       ^^^^
names have small letters, digits and hyphens, and begin with a letter
`},
	{"name: mine\n", "", `
mine.yaml:1:1: a scenario needs "name"
    1 | about: An owner stalls.
      | ^^^^^
keys: name about source race cluster input workers plan requires expect
`},
	{"about: An owner stalls.", "about: 7", `
mine.yaml:2:8: "about" takes text, not 7
    2 | about: 7
      |        ^
quotes make it text
`},
	{"about: An owner stalls.", "about: An owner: stalls.", `
mine.yaml:2:8: this is not YAML: mapping value is not allowed in this context
    2 | about: An owner: stalls.
      |        ^^^^^^^^
a text with a colon and a space in it needs quotes; or a line is indented wrongly
`},
	{"{events: 8-9, after: 2ms}", "{after: 2ms}", `
mine.yaml:10:7: a stage needs "events"
   10 |     - {after: 2ms}
      |       ^
keys: events kind key when after
`},
	{"events: 8-9", "events: 9-10", `
mine.yaml:10:16: no stage has event 8: the one before ends with 7, and this begins with 9
   10 |     - {events: 9-10, after: 2ms}
      |                ^^^^
each stage goes on where the one before ended
`},
	{"events: 8-9", "events: 10-12", `
mine.yaml:10:16: no stage has the events 8-9: the one before ends with 7, and this begins with 10
   10 |     - {events: 10-12, after: 2ms}
      |                ^^^^^
each stage goes on where the one before ended
`},
	{"events: 8-9", "events: 6-9", `
mine.yaml:10:16: the stages overlap: the one before ends with 7, and this begins with 6
   10 |     - {events: 6-9, after: 2ms}
      |                ^^^
each stage goes on where the one before ended
`},
	{"events: 1-6", "events: 2-6", `
mine.yaml:8:16: the first stage begins with event 1, not 2
    8 |     - {events: 2-6}
      |                ^^^
events are numbered from 1 in the order of production
`},
	{"events: 8-9", "events: 9-8", `
mine.yaml:10:16: "events" goes from the lower number to the higher, not from 9 to 8
   10 |     - {events: 9-8, after: 2ms}
      |                ^^^
`},
	{"events: 8-9", "events: 8 to 9", `
mine.yaml:10:16: "events" takes the numbers of events, not the text "8 to 9"
   10 |     - {events: 8 to 9, after: 2ms}
      |                ^^^^^^
events are written 1-6, or 7 for one; they count from 1
`},
	{"events: 8-9", "events: 8-1000001", `
mine.yaml:10:16: "events" goes up to 1000000, not to 1000001
   10 |     - {events: 8-1000001, after: 2ms}
      |                ^^^^^^^^^
`},
	{"kind: close", "kind: closed", `
mine.yaml:9:25: no kind of event is called "closed"; did you mean "close"?
    9 |     - {events: 7, kind: closed, key: 2, when: {evicted: a, within: 1m}}
      |                         ^^^^^^
kinds: post close
`},
	{"key: 2", "key: 4", `
mine.yaml:9:37: "key" takes a number from 1 to 3, not 4
    9 |     - {events: 7, kind: close, key: 4, when: {evicted: a, within: 1m}}
      |                                     ^
`},
	{"after: 2ms", "after: 2", `
mine.yaml:10:28: "after" takes a duration, and 2 has no unit; did you mean "2s"?
   10 |     - {events: 8-9, after: 2}
      |                            ^
durations have a unit: 500us 2ms 10s 1m30s
`},
	{"after: 2ms", "after: 2 ms", `
mine.yaml:10:28: "after" takes a duration, not "2 ms"
   10 |     - {events: 8-9, after: 2 ms}
      |                            ^^^^
durations have a unit: 500us 2ms 10s 1m30s
`},
	{"after: 2ms", "after: -2ms", `
mine.yaml:10:28: "after" takes a duration from 0s to 24h, not -2ms
   10 |     - {events: 8-9, after: -2ms}
      |                            ^^^^
`},
	{"within: 1m", "within: 0s", `
mine.yaml:9:67: "within" takes a duration from 1ns to 24h, not 0s
    9 |     - {events: 7, kind: close, key: 2, when: {evicted: a, within: 0s}}
      |                                                                   ^^
`},
	{"{evicted: a, within: 1m}", "{worker: a, point: folded, event: 7}", `
mine.yaml:9:80: this stage waits for event 7, which is produced only after the wait
    9 |     - {events: 7, kind: close, key: 2, when: {worker: a, point: folded, event: 7}}
      |                                                                                ^
`},
	{"session-timeout", "session_timeout", `
mine.yaml:12:9: a worker has no key "session_timeout"; did you mean "session-timeout"?
   12 |   all: {session_timeout: 3s, heartbeat-interval: 100ms}
      |         ^^^^^^^^^^^^^^^
keys: assignor instance-id max-poll-interval session-timeout heartbeat-interval request-timeout
  max-poll-records poll-timeout persist-every commit-every flush-on-revoke flush
  ignore-persist-errors restore recovery backoff backoff-max
`},
	{"heartbeat-interval: 100ms", "heartbeat-interval: 3s", `
mine.yaml:12:26: the session times out after 3s, and a heartbeat goes out only every 3s
   12 |   all: {session-timeout: 3s, heartbeat-interval: 3s}
      |                          ^^
`},
	{"heartbeat-interval: 100ms}", "heartbeat-interval: 100ms, commit-every: 1h}", `
mine.yaml:12:71: no worker commits before 1h are over, and the run is over before: what is read would never be committed
   12 |   all: {session-timeout: 3s, heartbeat-interval: 100ms, commit-every: 1h}
      |                                                                       ^^
let one worker that the plan leaves free commit oftener, or state that progress is violated
`},
	{"max-poll-records: 1", "backoff: 2m", `
mine.yaml:13:39: the first backoff is 2m, and the longest only 1m
   13 |   a: {max-poll-interval: 1s, backoff: 2m}
      |                                       ^^
`},
	{"  a: {max", "  aa: {max", `
mine.yaml:13:3: the plan starts no worker "aa"
   13 |   aa: {max-poll-interval: 1s, max-poll-records: 1}
      |   ^^
workers: a b
`},
	{"  a: {max-poll-interval: 1s, max-poll-records: 1}", "  a:", `
mine.yaml:13:3: "a" has no value
   13 |   a:
      |   ^
write a: {}
`},
	{"max-poll-records: 1}", "max-poll-records: 1, assignor: sticky}", `
mine.yaml:13:61: no assignor is called "sticky"
   13 |   a: {max-poll-interval: 1s, max-poll-records: 1, assignor: sticky}
      |                                                             ^^^^^^
assignors: eager cooperative
`},
	{"max-poll-records: 1}", "max-poll-records: 1, assignor: cooperative}", `
mine.yaml:13:61: a is cooperative and b is eager
   13 |   a: {max-poll-interval: 1s, max-poll-records: 1, assignor: cooperative}
      |                                                             ^^^^^^^^^^^
all members of a group have the same assignor: write it once, under workers: all
`},
	{"all: {session-timeout: 3s, ", "b: {assignor: eager}\n  all: {assignor: cooperative, session-timeout: 3s, ", `
mine.yaml:12:17: a is cooperative and b is eager
   12 |   b: {assignor: eager}
      |                 ^^^^^
all members of a group have the same assignor: write it once, under workers: all
`},
	{"partitions: 2", "partitions: !!int 2", `
mine.yaml:5:15: a scenario has no tags
    5 |   partitions: !!int 2
      |               ^^^^^
quotes make a text; all other types are known
`},
	{"workers:\n", "workers:\n  <<: {}\n", `
mine.yaml:12:3: a scenario has no merge keys
   12 |   <<: {}
      |   ^^
what all workers have in common goes under workers: all
`},
	{"  partitions: 2", "\tpartitions: 2", `
mine.yaml:5:1: a tab indents this line, and YAML takes only spaces
    5 | 	partitions: 2
      | ^
indent with spaces
`},
	{"name: mine", "\ufeffname: mine", `
mine.yaml:1:1: the file begins with a byte order mark
    1 | �name: mine
      | ^
save it as UTF-8 without one
`},
	{"An owner", "An \xffowner", `
mine.yaml:2:11: this is not UTF-8
    2 | about: An �owner stalls.
      |           ^
save the file as UTF-8
`},
	{"An owner", "An \x00owner", `
mine.yaml:2:11: the character U+0000 has no place in a scenario
    2 | about: An �owner stalls.
      |           ^
`},
	{mine, "", `
mine.yaml:1:1: the file has no scenario in it
    1 |
      | ^
`},
	{mine, "# nothing yet\n", `
mine.yaml:1:1: the file has no scenario in it
    1 | # nothing yet
      | ^
`},
	{mine, "- name: mine\n", `
mine.yaml:1:1: a scenario is a mapping, not a list
    1 | - name: mine
      | ^
keys: name about source race cluster input workers plan requires expect
`},
	{"An owner stalls.", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", `
mine.yaml:2:40: this is nested too deep for a scenario
    2 | about: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
      |                                        ^
`},
	{"An owner stalls.", "%YAML 1.2", `
mine.yaml:2:8: a scenario has no directives
    2 | about: %YAML 1.2
      |        ^
`},
	{"name: mine", "%YAML 1.2\n---\nname: mine", `
mine.yaml:1:1: a scenario has no directives
    1 | %YAML 1.2
      | ^
`},
	{"name: mine", "? name\n: mine", `
mine.yaml:1:1: a scenario has no keys marked by a question mark
    1 | ? name
      | ^
write key: value
`},
	{"An owner stalls.", "\"An owner stalls.", `
mine.yaml:2:8: this is not YAML: could not find end character of double-quoted text
    2 | about: "An owner stalls.
      |        ^^^^^^^^^^^^^^^^^
`},
	{"An owner stalls.", "@owner stalls", `
mine.yaml:2:8: this is not YAML: '@' is a reserved character
    2 | about: @owner stalls
      |        ^
a text that begins with this character needs quotes
`},
	{"An owner stalls.", "An owner stalls.\n  source: x", `
mine.yaml:2:8: this is not YAML: mapping value is not allowed in this context
    2 | about: An owner stalls.
      |        ^^^^^^^^^^^^^^^^
a text with a colon and a space in it needs quotes; or a line is indented wrongly
`},
	{"name: mine", "name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", `
mine.yaml:1:7: a name has at most 64 letters, and this one 72
    1 | name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
      |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
`},
	{"An owner stalls.", `"An owner \e[31mstalls."`, `
mine.yaml:2:8: "about" has the character U+001B in it, which has no place in a text
    2 | about: "An owner \e[31mstalls."
      |        ^^^^^^^^^^^^^^^^^^^^^^^^
`},
}
