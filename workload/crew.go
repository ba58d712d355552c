package workload

import (
	"fmt"
	"slices"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// Crew is the workers of a run: by name, each in its present life. The nemesis starts and ends them through it.
type Crew struct {
	Input     *Input
	Arm       *persistence.Arm
	Rows      persistence.Rows
	Consumers Consumers
	// Consistency is that of the cluster's plain reads, for the record.
	Consistency string
	Configs     []Config
	// Due, where it is not nil, decides whether a flush or a commit is due, instead of the worker's clock: for a run that is
	// done again.
	Due   func(process string, partition int32, what history.F) bool
	lives map[string]*life
}

// Start begins a worker, in its next life, and gives the process's name. The world is any process of the run's.
func (c *Crew) Start(w World, name string) (process string, err error) {
	if l, ok := c.lives[name]; ok && l.running {
		return "", fmt.Errorf("worker %s runs already, as %s", name, l.process)
	}
	i := slices.IndexFunc(c.Configs, func(f Config) bool { return f.Name == name })
	if i < 0 {
		return "", fmt.Errorf("no worker is called %s", name)
	}
	return c.begin(w, c.Configs[i], 0), nil
}

// begin begins the next life of a worker. failures counts the lives before it that failed one after another.
func (c *Crew) begin(w World, config Config, failures int) string {
	if c.lives == nil {
		c.lives = map[string]*life{}
	}
	number := 1
	if before, ok := c.lives[config.Name]; ok {
		number = before.number + 1
	}
	l := &life{
		crew: c, config: config, number: number, failures: failures, running: true,
		process: fmt.Sprintf("%s/%d", config.Name, number), connection: connection{rows: c.Rows},
	}
	c.lives[config.Name] = l
	w.Go(l.process, l.run)
	return l.process
}

// Life gives a worker's present process, and whether it runs.
func (c *Crew) Life(name string) (process string, running bool) {
	l, ok := c.lives[name]
	if !ok {
		return "", false
	}
	return l.process, l.running
}

// Parting tells whether a worker's present life has failed, so that its member leaves the group by itself: that it is then
// listed no more is no eviction.
func (c *Crew) Parting(name string) bool {
	l, ok := c.lives[name]
	return ok && l.parting
}

// Static tells whether a worker is a static member, which says no goodbye.
func (c *Crew) Static(name string) bool {
	return slices.ContainsFunc(c.Configs, func(f Config) bool { return f.Name == name && f.Member.Instance != "" })
}

// Poison makes a worker's next step end in an error, as a record that it cannot fold does.
func (c *Crew) Poison(name string, err error) {
	if l, ok := c.lives[name]; ok {
		l.poison = err
	}
}

// Names gives the workers that were started, in order.
func (c *Crew) Names() []string {
	var names []string
	for _, f := range c.Configs {
		if _, ok := c.lives[f.Name]; ok {
			names = append(names, f.Name)
		}
	}
	return names
}

// Leave ends the client of a worker whose process was unwound, politely: it leaves the group.
func (c *Crew) Leave(name string) { c.part(name, Member.Leave) }

// Sever ends it as a crash does.
func (c *Crew) Sever(name string) { c.part(name, Member.Sever) }

func (c *Crew) part(name string, how func(Member)) {
	l, ok := c.lives[name]
	if !ok {
		return
	}
	l.running = false
	if l.member != nil {
		how(l.member)
	}
}
