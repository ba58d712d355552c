package containers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/single-writer/chaos/cluster/clients"
	"github.com/single-writer/chaos/cluster/containers/owner"
)

// leftBehind looks for what killed runs left. It is no problem: the next start removes it.
func (x *examination) leftBehind(ctx context.Context) Check {
	abandoned, err := abandonment(x.engine)
	if err != nil {
		return problem("run chaos on Linux, with /proc", "%v", err)
	}
	all, err := things(ctx, x.engine, owner.LabelPID)
	if err != nil {
		return problem("look into the engine's own log", "%v", err)
	}
	var left []string
	for _, t := range all {
		if yes, err := abandoned(t); yes && err == nil {
			left = append(left, t.String())
		}
	}
	if len(left) == 0 {
		return fine("nothing")
	}
	return fine("%s: the next start removes it, and so does chaos down", strings.Join(left, ", "))
}

// liveRuns tells who has servers of its own.
func (x *examination) liveRuns(ctx context.Context) Check {
	all, err := things(ctx, x.engine, owner.LabelPID)
	if err != nil {
		return problem("look into the engine's own log", "%v", err)
	}
	var live []string
	for _, t := range all {
		fate, err := t.owner.Fate(x.self)
		if err != nil || fate != owner.Alive || t.warm || t.network {
			continue
		}
		who := fmt.Sprintf("process %d, for %s", t.owner.PID, Age(time.Since(t.created)))
		if !slices.ContainsFunc(live, func(s string) bool { return strings.HasPrefix(s, fmt.Sprintf("process %d,", t.owner.PID)) }) {
			live = append(live, who)
		}
	}
	if len(live) == 0 {
		return fine("none")
	}
	return fine("%s", strings.Join(live, "; "))
}

// warm looks whether the warm cluster answers, is what a run wants, and has users.
func (x *examination) warm(ctx context.Context) Check {
	servers, err := FindWarm(ctx, x.options)
	var dead *HalfDeadError
	var other *MismatchError
	switch {
	case errors.Is(err, ErrNoWarm):
		return fine("none is up; chaos up starts one")
	case errors.As(err, &dead):
		return problem("chaos down, and then chaos up", "%s", strings.Join(dead.fates(), "; "))
	case errors.As(err, &other):
		return problem("chaos down, and then chaos up", "%s: there is %s; wanted: %s", other.What, other.There, other.Wanted)
	case err != nil:
		return problem("chaos down, and then chaos up", "%v", err)
	}
	var users []string
	err = servers.withClients(func(c *clients.Servers, self owner.Owner) (err error) {
		users, err = tenants(ctx, c, self)
		return err
	})
	if err := errors.Join(err, servers.Detach()); err != nil {
		return problem("chaos down, and then chaos up", "%v", err)
	}
	used := "nobody uses it"
	if len(users) > 0 {
		used = "used by " + strings.Join(users, " and ")
	}
	return fine("up for %s: %s; %s", Age(servers.Age()), servers, used)
}
