package clients

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/single-writer/chaos/cluster/clients/cassandra"
	"github.com/single-writer/chaos/workload/persistence"
)

// Through sends a statement to a node of Cassandra, which coordinates it. Nodes count from 0.
func (w *World) Through(node int, s persistence.Statement) persistence.Call[persistence.Answer] {
	return call(w, w.servers.driver.bound(requestTimeout), func(ctx context.Context) (persistence.Answer, error) {
		session, err := w.servers.Through(node + 1)
		if err != nil {
			return persistence.Answer{}, err
		}
		r := *w.rows
		r.session = session
		return r.execute(ctx, s, nil)
	})
}

// AskNext has a read ask another replica when one does not answer in a millisecond, so that it waits for none that will not.
// (With ALWAYS it would ask all of three at once, but only one of them for more than a digest.)
func (s *Servers) AskNext(ctx context.Context) error {
	for _, t := range tables {
		if err := s.cql(ctx, fmt.Sprintf("ALTER TABLE %s.%s WITH speculative_retry = '1ms'", s.keyspace, t.name)).Close(); err != nil {
			return fmt.Errorf("have reads of %s.%s ask another replica: %w", s.keyspace, t.name, err)
		}
	}
	return nil
}

// ask sends a node, which counts from 1, a statement about no run's rows.
func (s *Servers) ask(ctx context.Context, node int, level cassandra.Consistency, text string) (cassandra.Rows, cassandra.Session, error) {
	session, err := s.Through(node)
	if err != nil {
		return nil, nil, err
	}
	return session.Query(ctx, cassandra.Request{CQL: text, Consistency: level}), session, nil
}

// Tell has a node, which counts from 1, send all others a message.
func (s *Servers) Tell(ctx context.Context, node int) error {
	r := &rows{keyspace: s.keyspace, group: "nodes", topic: "nodes"}
	text, values, err := r.query(persistence.Statement{Verb: persistence.Remove, Key: "none", Timestamp: 1})
	if err != nil {
		return err
	}
	session, err := s.Through(node)
	if err != nil {
		return err
	}
	return session.Query(ctx, cassandra.Request{CQL: text, Values: values, Consistency: cassandra.One}).Close()
}

// Alive is how many nodes one, which counts from 1, takes to be up, itself among them. It is an error when one that it takes to be
// up does not answer it.
func (s *Servers) Alive(ctx context.Context, node int) (int, error) {
	found, session, err := s.ask(ctx, node, cassandra.All, "SELECT key FROM "+s.keyspace+"."+tables[persistence.Snapshots].name+" LIMIT 1")
	if err != nil {
		return 0, err
	}
	err = found.Close()
	said := session.Said(err)
	switch {
	case err == nil:
		return len(s.cassandra.Hosts), nil
	case said.Code == cassandra.Unavailable:
		return said.Got, nil
	}
	return 0, err
}

// Clock is what a node's clock says; nodes count from 1. (What now() says never goes back.)
func (s *Servers) Clock(ctx context.Context, node int) (time.Time, error) {
	found, _, err := s.ask(ctx, node, cassandra.One, "SELECT toUnixTimestamp(currentTimestamp()) FROM system.local")
	if err != nil {
		return time.Time{}, err
	}
	var ms int64
	if !found.Scan(&ms) {
		return time.Time{}, errors.Join(errors.New("a node does not tell its time"), found.Close())
	}
	return time.UnixMilli(ms), found.Close()
}
