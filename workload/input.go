package workload

import (
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// Stage is a part of the input that is produced at one time.
type Stage struct {
	// First and Last are event numbers. Each stage goes on where the one before ended; the first begins with 1.
	First, Last int64
	// Kind is what each event of the stage does.
	Kind ledger.Kind
	// Key is the number of the account, from 1; 0 gives the events to all accounts in turn.
	Key int
	// When is what the stage waits for, After how much longer it then waits on the world's clock.
	When  Trigger
	After time.Duration
}

// Placed is an event with the place that it will have in the log: the producer is the only one, so that a partition's
// offsets count from 0 in the order of production.
type Placed struct {
	Partition int32
	Offset    int64
	Event     ledger.Event
}

// Input is the whole input of a run, amounts included: the same for every arm of the same scenario and seed.
type Input struct {
	Partitions int
	Keys       []string
	Stages     []Stage
	events     []Placed
}

// NewInput makes the input. Amounts come from the seed alone.
func NewInput(partitions, keys int, stages []Stage, seed int64) *Input {
	in := &Input{Partitions: partitions, Stages: stages}
	for k := range keys {
		in.Keys = append(in.Keys, fmt.Sprintf("acct-%d", k+1))
	}
	next := make([]int64, partitions)
	for _, s := range stages {
		for id := s.First; id <= s.Last; id++ {
			key := int(id-1) % keys
			if s.Key > 0 {
				key = s.Key - 1
			}
			p := key % partitions
			e := ledger.Event{ID: id, Account: in.Keys[key], Kind: s.Kind}
			if s.Kind == ledger.Post {
				e.Amount = amount(seed, id)
			}
			in.events = append(in.events, Placed{Partition: int32(p), Offset: next[p], Event: e})
			next[p]++
		}
	}
	return in
}

// amount is between 0.01 and 250.00, drawn from the seed and the event's number by SplitMix64. It is never negative, so
// that a lost event always shows as money that is missing.
func amount(seed, id int64) decimal.Decimal {
	x := uint64(seed)*0x9e3779b97f4a7c15 + uint64(id)*0xd1342543de82ef95
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	x ^= x >> 31
	return decimal.New(int64(x%25000)+1, -2)
}

// Events gives the events with the numbers from first to last.
func (in *Input) Events(first, last int64) []Placed { return in.events[first-1 : last] }

// Len is the number of events.
func (in *Input) Len() int64 { return int64(len(in.events)) }

// Position gives the place of an event by its number.
func (in *Input) Position(event int64) (partition int32, offset int64, ok bool) {
	if event < 1 || event > in.Len() {
		return 0, 0, false
	}
	p := in.events[event-1]
	return p.Partition, p.Offset, true
}

// Ends gives, by partition, the offset after the last event.
func (in *Input) Ends() []int64 {
	ends := make([]int64, in.Partitions)
	for _, p := range in.events {
		ends[p.Partition] = p.Offset + 1
	}
	return ends
}

// KeysOf gives the accounts of a partition.
func (in *Input) KeysOf(partition int32) []string {
	var keys []string
	for k, key := range in.Keys {
		if k%in.Partitions == int(partition) {
			keys = append(keys, key)
		}
	}
	return keys
}

// Facts is the input as the history's header tells it.
func (in *Input) Facts() history.InputFacts {
	return history.InputFacts{Partitions: in.Partitions, Keys: in.Keys, Events: in.Len()}
}
