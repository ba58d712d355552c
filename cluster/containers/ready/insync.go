package ready

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// InSync says which broker is to have caught up with its peers.
type InSync struct {
	Broker int32
	// Ask gives the addresses of the brokers that can be asked for it; these may be others from one attempt to the next.
	Ask func() []string
	// Alive, when set, is asked after each attempt: an error ends the wait.
	Alive func(ctx context.Context) error
}

// Wait returns when each of the brokers knows that one, and says of every partition that it has a replica of that this is in
// sync. It tells what they said.
func (k InSync) Wait(ctx context.Context) (said string, err error) {
	err = until(ctx, fmt.Sprintf("have broker %d in sync with its peers", k.Broker), k.Alive, func(ctx context.Context) error {
		var partitions int
		asked := k.Ask()
		for _, address := range asked {
			if partitions, err = k.ask(ctx, address); err != nil {
				return fmt.Errorf("the broker at %s: %w", address, err)
			}
		}
		said = fmt.Sprintf("%s say that it is in sync with all %d partitions that it has", strings.Join(asked, ", "), partitions)
		return nil
	})
	return said, err
}

// ask asks one broker for all that it knows, on a connection of its own, and counts the partitions of the awaited one.
func (k InSync) ask(ctx context.Context, address string) (partitions int, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	client, err := kgo.NewClient(kgo.SeedBrokers(address), kgo.DialTimeout(time.Second), kgo.RequestRetries(0))
	if err != nil {
		return 0, fmt.Errorf("make a Kafka client: %w", err)
	}
	defer client.Close()
	response, err := client.SeedBrokers()[0].Request(ctx, kmsg.NewPtrMetadataRequest())
	if err != nil {
		return 0, err
	}
	metadata := response.(*kmsg.MetadataResponse)
	if !slices.ContainsFunc(metadata.Brokers, func(b kmsg.MetadataResponseBroker) bool { return b.NodeID == k.Broker }) {
		return 0, fmt.Errorf("it knows no broker %d", k.Broker)
	}
	for _, t := range metadata.Topics {
		for _, p := range t.Partitions {
			if !slices.Contains(p.Replicas, k.Broker) {
				continue
			}
			if !slices.Contains(p.ISR, k.Broker) {
				return 0, fmt.Errorf("in sync with %s/%d are %v", *t.Topic, p.Partition, p.ISR)
			}
			partitions++
		}
	}
	return partitions, nil
}
