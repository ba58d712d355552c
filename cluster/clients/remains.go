package clients

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/single-writer/chaos/cluster/clients/cassandra"
)

// Remains is what runs have made on the servers, by name.
type Remains struct{ Keyspaces, Topics, Groups []string }

// Remains lists the keyspaces, topics and groups that are on the servers and whose name belongs to somebody.
func (s *Servers) Remains(ctx context.Context, belongs func(name string) bool) (r Remains, err error) {
	admin := kadm.NewClient(s.admin)
	topics, err := admin.ListTopics(ctx)
	if err != nil {
		return r, fmt.Errorf("list the topics: %w", err)
	}
	groups, err := admin.ListGroups(ctx)
	if err != nil {
		return r, fmt.Errorf("list the groups: %w", err)
	}
	keyspaces := s.cql(ctx, "SELECT keyspace_name FROM system_schema.keyspaces")
	for name := ""; keyspaces.Scan(&name); {
		r.Keyspaces = append(r.Keyspaces, name)
	}
	if err := keyspaces.Close(); err != nil {
		return r, fmt.Errorf("list the keyspaces: %w", err)
	}
	r.Topics, r.Groups = topics.Names(), groups.Groups()
	for _, names := range []*[]string{&r.Keyspaces, &r.Topics, &r.Groups} {
		*names = slices.DeleteFunc(*names, func(name string) bool { return !belongs(name) })
	}
	return r, nil
}

// Remove removes what is listed. A group that still has members stays, since the broker keeps it until their sessions end;
// what somebody else removed meanwhile is not an error.
func (s *Servers) Remove(ctx context.Context, r Remains) error {
	admin := kadm.NewClient(s.admin)
	var errs []error
	if len(r.Groups) > 0 {
		deleted, err := admin.DeleteGroups(ctx, r.Groups...)
		errs = append(errs, err)
		for _, g := range deleted {
			if g.Err != nil && !errors.Is(g.Err, kerr.NonEmptyGroup) && !errors.Is(g.Err, kerr.GroupIDNotFound) {
				errs = append(errs, fmt.Errorf("delete the group %s: %w", g.Group, g.Err))
			}
		}
	}
	if len(r.Topics) > 0 {
		deleted, err := admin.DeleteTopics(ctx, r.Topics...)
		errs = append(errs, err)
		for _, t := range deleted {
			if t.Err != nil && !errors.Is(t.Err, kerr.UnknownTopicOrPartition) {
				errs = append(errs, fmt.Errorf("delete the topic %s: %w", t.Topic, t.Err))
			}
		}
	}
	for _, k := range r.Keyspaces {
		if err := s.drop(ctx, k); err != nil {
			errs = append(errs, fmt.Errorf("drop the keyspace %s: %w", k, err))
		}
	}
	return errors.Join(errs...)
}

// dropTries is how often a drop is waited for.
const dropTries = 4

// drop drops a keyspace. Cassandra writes out much for that, on a busy machine for longer than the driver waits for an answer;
// it goes on all the same, and the next try finds it done.
func (s *Servers) drop(ctx context.Context, keyspace string) (err error) {
	for range dropTries {
		err = s.cql(ctx, "DROP KEYSPACE IF EXISTS "+keyspace).Close()
		if err == nil || s.session.Said(err).Local != cassandra.NoAnswer || ctx.Err() != nil {
			break
		}
	}
	return err
}
