package wire

import (
	"encoding/binary"
	"fmt"
	"net"
	"strconv"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Kafka's brokers tell their clients where brokers are: in answers to Metadata, FindCoordinator and DescribeCluster, and since
// KIP-951 in those to Produce and Fetch that name another leader.
var naming = map[int16]bool{0: true, 1: true, 3: true, 10: true, 60: true}

// translatedKafka is one connection of a client that is to find brokers elsewhere.
type translatedKafka struct {
	kafka
	to Translate
	mu sync.Mutex
	// asked are the versions of requests whose answers may name brokers, with their keys, by their correlation ids.
	asked map[int32]keyVersion
}

type keyVersion struct{ key, version int16 }

// TranslatedKafka is Kafka's protocol for clients that are to find each broker at another address.
func TranslatedKafka(to Translate) func() Protocol {
	return func() Protocol { return &translatedKafka{to: to, asked: map[int32]keyVersion{}} }
}

func (k *translatedKafka) asks(m []byte) error {
	if len(m) < requestHeader {
		return nil
	}
	kv := keyVersion{int16(binary.BigEndian.Uint16(m[lengthSize:])), int16(binary.BigEndian.Uint16(m[lengthSize+2:]))}
	if !naming[kv.key] {
		return nil
	}
	if most := kmsg.ResponseForKey(kv.key).MaxVersion(); kv.version > most {
		return fmt.Errorf("%s v%d: versions are read up to %d", kmsg.NameForKey(kv.key), kv.version, most)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked[k.request(m)] = kv
	return nil
}

func (k *translatedKafka) take(id int32) (keyVersion, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	kv, ok := k.asked[id]
	delete(k.asked, id)
	return kv, ok
}

func (k *translatedKafka) translates(m []byte) ([]byte, error) {
	kv, ok := k.take(k.answer(m))
	if !ok {
		return m, nil
	}
	resp, err := readAnswer(kv.key, kv.version, m)
	if err != nil {
		return nil, fmt.Errorf("read the answer to %s v%d: %w", kmsg.NameForKey(kv.key), kv.version, err)
	}
	brokers := brokersIn(resp)
	for _, b := range brokers {
		if err := b.moves(k.to); err != nil {
			return nil, err
		}
	}
	if len(brokers) == 0 {
		return m, nil
	}
	out := append(make([]byte, 0, len(m)+64), m[:answerHeader]...)
	if resp.IsFlexible() {
		out = append(out, 0)
	}
	out = resp.AppendTo(out)
	binary.BigEndian.PutUint32(out, uint32(len(out)-lengthSize))
	return out, nil
}

// place is where an answer says that a broker is.
type place struct {
	host *string
	port *int32
}

func (p place) moves(to Translate) error {
	if *p.host == "" {
		return nil // there is none
	}
	address, err := to(net.JoinHostPort(*p.host, strconv.Itoa(int(*p.port))))
	if err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	n, err := strconv.ParseUint(port, 10, 16)
	*p.host, *p.port = host, int32(n)
	return err
}

func brokersIn(resp kmsg.Response) (all []place) {
	switch r := resp.(type) {
	case *kmsg.MetadataResponse:
		for i := range r.Brokers {
			all = append(all, place{&r.Brokers[i].Host, &r.Brokers[i].Port})
		}
	case *kmsg.FindCoordinatorResponse:
		all = append(all, place{&r.Host, &r.Port})
		for i := range r.Coordinators {
			all = append(all, place{&r.Coordinators[i].Host, &r.Coordinators[i].Port})
		}
	case *kmsg.DescribeClusterResponse:
		for i := range r.Brokers {
			all = append(all, place{&r.Brokers[i].Host, &r.Brokers[i].Port})
		}
	case *kmsg.ProduceResponse:
		for i := range r.Brokers {
			all = append(all, place{&r.Brokers[i].Host, &r.Brokers[i].Port})
		}
	case *kmsg.FetchResponse:
		for i := range r.Brokers {
			all = append(all, place{&r.Brokers[i].Host, &r.Brokers[i].Port})
		}
	}
	return all
}
