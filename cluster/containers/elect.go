package containers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/single-writer/chaos/cluster/clients"
	"github.com/single-writer/chaos/workload"
)

// An unclean election takes more than one that is asked for: nobody may be there who was in sync, and enough brokers must be left
// for a controller. So the others of the leader's followers are killed and started again without coming to its records: they live,
// and are out of sync. Then the leader is killed, and the broker that lacks some is freed of its trouble and elected. When
// all are well again, they have truncated their logs to that of the new leader. Measured with Kafka 4.3.1, where
//
//   - unclean.leader.election.enable is false, as it is by default;
//   - a follower that only asks for nothing any more stays in sync as long as the leader has nothing that it has not;
//   - one that was out of sync when there were too few is still eligible (KIP-966), unless it was killed;
//   - to give the partition to two brokers alone is no way: that does not come to an end while one of them is out of sync.

// elect makes a broker that was kept from the newest records of the input lead it. At the end all are well.
func (w *world) elect(ctx context.Context, server string) (string, error) {
	id, err := clients.BrokerID(server)
	if err != nil {
		return "", refused(err)
	}
	was, err := w.lacking(ctx, id)
	if err != nil {
		return "", refused(fmt.Errorf("%s cannot be elected uncleanly: %w", server, err))
	}
	before, err := w.End(ctx)
	if err != nil {
		return "", refused(err)
	}
	leader := clients.BrokerName(was.Leader)
	if err := w.onlyInSync(ctx, was, id); err != nil {
		return "", err
	}
	if _, err := w.cluster.strike(ctx, leader, workload.Killed); err != nil {
		return "", err
	}
	if err := w.cluster.harm.Free(ctx, server); err != nil {
		return "", err
	}
	if err := w.leaderless(ctx, id); err != nil {
		return "", err
	}
	if err := w.ElectUnclean(ctx); err != nil {
		return "", err
	}
	var after int64
	err = clients.Patiently(ctx, func() (err error) { after, err = w.End(ctx); return err })
	if err != nil {
		return "", fmt.Errorf("%s was elected, and does not lead: %w", server, err)
	}
	if err := w.restore(ctx, was.Replicas); err != nil {
		return "", err
	}
	return fmt.Sprintf("partition 0 of the input ended at %d when %s led it, and ends at %d now that %s does", before, leader, after, server), nil
}

// lacking waits until the broker is out of sync with partition 0 of the input. One that is well would never be.
func (w *world) lacking(ctx context.Context, id int32) (p clients.Placement, err error) {
	if !w.cluster.harm.Ill(clients.BrokerName(id)) {
		return p, errors.New("it is well, and has all records: kill it or cut it off, and let records come, before")
	}
	ctx, cancel := context.WithTimeout(ctx, strikeTime/2)
	defer cancel()
	err = clients.Patiently(ctx, func() error {
		if p, err = w.Placed(ctx); err == nil && (p.Leader < 0 || slices.Contains(p.ISR, id)) {
			err = fmt.Errorf("the leader is %d, and in sync are %v", p.Leader, p.ISR)
		}
		return err
	})
	return p, err
}

// onlyInSync waits until nobody but the leader is in sync with partition 0 of the input. Whoever is alive and comes first among the
// replicas is elected: that is to be the one that lacks the newest records.
func (w *world) onlyInSync(ctx context.Context, was clients.Placement, lacks int32) error {
	replicas := []int32{lacks}
	for _, id := range was.Replicas {
		if id != lacks {
			replicas = append(replicas, id)
		}
	}
	if err := w.Place(ctx, replicas); err != nil {
		return err
	}
	for _, id := range replicas {
		if id == lacks || id == was.Leader {
			continue
		}
		if err := w.cluster.harm.Starve(ctx, clients.BrokerName(id), clients.BrokerName(was.Leader)); err != nil {
			return err
		}
	}
	return clients.Patiently(ctx, func() error {
		p, err := w.Placed(ctx)
		if err == nil && (!slices.Equal(p.ISR, []int32{was.Leader}) || !slices.Equal(p.Replicas, replicas)) {
			err = fmt.Errorf("%s is to be the only one in sync, and these are: %v; the replicas: %v", clients.BrokerName(was.Leader), p.ISR, p.Replicas)
		}
		return err
	})
}

// leaderless waits until nobody leads partition 0 of the input, and the broker is one of those that live.
func (w *world) leaderless(ctx context.Context, id int32) error {
	return clients.Patiently(ctx, func() error {
		p, err := w.Placed(ctx)
		if err == nil && p.Leader >= 0 {
			err = fmt.Errorf("%s leads the input still", clients.BrokerName(p.Leader))
		}
		if err == nil {
			err = w.Lives(ctx, id)
		}
		return err
	})
}

// restore makes all well again, and waits until all are in sync with the new leader.
func (w *world) restore(ctx context.Context, replicas []int32) error {
	var brokers []string
	for _, id := range replicas {
		brokers = append(brokers, clients.BrokerName(id))
	}
	if err := w.cluster.harm.HealThese(ctx, brokers...); err != nil {
		return err
	}
	return clients.Patiently(ctx, func() error {
		p, err := w.Placed(ctx)
		if err == nil && len(p.ISR) < len(replicas) {
			err = fmt.Errorf("of the brokers %v only %v are in sync with the input", p.Replicas, p.ISR)
		}
		return err
	})
}
