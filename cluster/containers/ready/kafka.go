package ready

import (
	"cmp"
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

// Kafka says which brokers to wait for: one, or all of a cluster.
type Kafka struct {
	Addrs []string
	// Dial, when set, replaces how one dials whatever address the broker advertises.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Alive, when set, is asked after each unanswered request: an error ends the wait.
	Alive func(ctx context.Context) error
}

// Answered tells when a server answered.
type Answered struct {
	First time.Time // its first request, of any kind
	All   time.Time // every request that a run depends on
}

// Wait returns when the brokers know of each other and keep up with the leader of a new topic, one of them has stored a record
// with acks=all, stored an offset commit and given out a transactional producer id. The last two make the brokers create their
// internal topics now: a group's or a transaction's first request would otherwise be answered
// COORDINATOR_NOT_AVAILABLE, which a scenario that counts answers must not meet by chance.
func (k Kafka) Wait(ctx context.Context) (Answered, error) {
	client, err := k.client()
	if err != nil {
		return Answered{}, err
	}
	defer client.Close()
	return k.steps(ctx, append([]step{k.metadata(client)}, k.warmUp(client)...))
}

// Ping returns when a broker has answered a metadata request and told of all of them. It is enough for brokers that were
// waited for before, and leaves no trace in them.
func (k Kafka) Ping(ctx context.Context) (Answered, error) {
	client, err := k.client()
	if err != nil {
		return Answered{}, err
	}
	defer client.Close()
	return k.steps(ctx, []step{k.metadata(client)})
}

// step is one request that must be answered well.
type step struct {
	what string
	do   func(context.Context) error
}

func (k Kafka) steps(ctx context.Context, steps []step) (at Answered, err error) {
	for i, s := range steps {
		err := until(ctx, s.what, k.Alive, func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			return s.do(ctx)
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

func (k Kafka) client() (*kgo.Client, error) {
	options := []kgo.Opt{
		kgo.SeedBrokers(k.Addrs...),
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
		return nil, fmt.Errorf("make a Kafka client: %w", err)
	}
	return client, nil
}

func (k Kafka) metadata(client *kgo.Client) step {
	return step{"ask Kafka for metadata", func(ctx context.Context) error {
		m, err := metadata(ctx, client)
		if err == nil && len(m.Brokers) < len(k.Addrs) {
			err = fmt.Errorf("it knows %d of %d brokers yet", len(m.Brokers), len(k.Addrs))
		}
		return err
	}}
}

// inSync waits until each broker has what the scratch topic's leader has.
func (k Kafka) inSync(client *kgo.Client) step {
	return step{"have Kafka's brokers keep up with each other", func(ctx context.Context) error {
		m, err := metadata(ctx, client, scratch)
		if err != nil {
			return err
		}
		for _, t := range m.Topics {
			for _, p := range t.Partitions {
				if len(p.ISR) == len(k.Addrs) {
					return nil
				}
				err = fmt.Errorf("%d of %d do", len(p.ISR), len(k.Addrs))
			}
		}
		return cmp.Or(err, errors.New("the scratch topic is not known yet"))
	}}
}

// metadata asks for it anew: what the client remembers may be from before.
func metadata(ctx context.Context, client *kgo.Client, topics ...string) (*kmsg.MetadataResponse, error) {
	request := kmsg.NewPtrMetadataRequest()
	request.Topics = []kmsg.MetadataRequestTopic{} // nil would be all
	for _, name := range topics {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = kmsg.StringPtr(name)
		request.Topics = append(request.Topics, t)
	}
	return request.RequestWith(ctx, client)
}

// warmUp returns the requests whose first answers are slow or refusals, and those that remove what the
// former left.
func (k Kafka) warmUp(client *kgo.Client) []step {
	admin := kadm.NewClient(client)
	return []step{
		{"create a topic in Kafka", func(ctx context.Context) error {
			_, err := admin.CreateTopic(ctx, 1, -1, nil, scratch)
			if errors.Is(err, kerr.TopicAlreadyExists) { // by an attempt whose answer was lost
				err = nil
			}
			return err
		}},
		k.inSync(client),
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
	}
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
