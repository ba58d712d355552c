package ready

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// scratch names the topic, the group and the transactional id that the warm-up uses and removes.
const scratch = "chaos-warm-up"

// Kafka says which broker to wait for.
type Kafka struct {
	Addr string
	// Dial, when set, replaces the dialing of whatever address the broker advertises.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Alive, when set, is asked after each unanswered request: an error ends the wait.
	Alive func(ctx context.Context) error
}

// Answered tells when a server answered.
type Answered struct {
	First time.Time // its first request, of any kind
	All   time.Time // every request that a run depends on
}

// Wait returns when the broker has answered a metadata request, stored a record with acks=all, stored
// an offset commit and given out a transactional producer id. The last two make the broker create its
// internal topics now: a group's or a transaction's first request would otherwise be answered
// COORDINATOR_NOT_AVAILABLE, which a scenario that counts answers must not meet by chance.
func (k Kafka) Wait(ctx context.Context) (Answered, error) {
	options := []kgo.Opt{
		kgo.SeedBrokers(k.Addr),
		kgo.DialTimeout(time.Second),
		kgo.RetryBackoffFn(func(int) time.Duration { return pace }),
		// The retries are this package's own, so that it sees each answer.
		kgo.RequestRetries(0),
		kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.DefaultProduceTopic(scratch),
		kgo.ProducerLinger(0),
		kgo.RecordDeliveryTimeout(5 * time.Second),
	}
	if k.Dial != nil {
		options = append(options, kgo.Dialer(k.Dial))
	}
	client, err := kgo.NewClient(options...)
	if err != nil {
		return Answered{}, fmt.Errorf("make a Kafka client: %w", err)
	}
	defer client.Close()
	admin := kadm.NewClient(client)

	var at Answered
	for i, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"ask Kafka for metadata", func(ctx context.Context) error {
			m, err := admin.BrokerMetadata(ctx)
			if err == nil && len(m.Brokers) == 0 {
				err = errors.New("it knows no broker yet")
			}
			return err
		}},
		{"create a topic in Kafka", func(ctx context.Context) error {
			_, err := admin.CreateTopic(ctx, 1, 1, nil, scratch)
			if errors.Is(err, kerr.TopicAlreadyExists) { // by an attempt whose answer was lost
				err = nil
			}
			return err
		}},
		{"store a record in Kafka", func(ctx context.Context) error {
			return client.ProduceSync(ctx, kgo.StringRecord("warm-up")).FirstErr()
		}},
		{"commit an offset to Kafka", func(ctx context.Context) error {
			offsets := kadm.Offsets{}
			offsets.AddOffset(scratch, 0, 1, -1)
			return admin.CommitAllOffsets(ctx, scratch, offsets)
		}},
		{"get a transactional producer id from Kafka", func(ctx context.Context) error {
			return initProducer(ctx, client)
		}},
		{"remove the scratch group from Kafka", func(ctx context.Context) error {
			_, err := admin.DeleteGroup(ctx, scratch)
			if errors.Is(err, kerr.GroupIDNotFound) {
				err = nil
			}
			return err
		}},
		{"remove the scratch topic from Kafka", func(ctx context.Context) error {
			_, err := admin.DeleteTopic(ctx, scratch)
			if errors.Is(err, kerr.UnknownTopicOrPartition) {
				err = nil
			}
			return err
		}},
	} {
		err := until(ctx, step.what, k.Alive, func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			return step.do(ctx)
		})
		if err != nil {
			return at, err
		}
		at.All = time.Now()
		if i == 0 {
			at.First = at.All
		}
	}
	return at, nil
}

func initProducer(ctx context.Context, client *kgo.Client) error {
	id := scratch
	request := kmsg.NewPtrInitProducerIDRequest()
	request.TransactionalID = &id
	request.TransactionTimeoutMillis = 1000
	request.ProducerID, request.ProducerEpoch = -1, -1
	response, err := request.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(response.ErrorCode)
}
