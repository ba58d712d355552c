package containers

import (
	"fmt"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/containers/definition"
	"github.com/single-writer/chaos/cluster/containers/images"
	"github.com/single-writer/chaos/cluster/containers/owner"
)

// MismatchError says that the warm servers are not those that were asked for.
type MismatchError struct {
	What          string // what differs
	There, Wanted string
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("a warm cluster is up, but not the one that this run asks for\n  %s\n    is there: %s\n    wanted:   %s\n"+
		"  chaos down removes it; --cold leaves it alone and starts other servers", e.What, e.There, e.Wanted)
}

// fits compares the warm servers with those that a start would give.
func fits(v *Servers, o Options, found map[string]thing) error {
	fingerprint, err := definition.Fingerprint()
	if err != nil {
		return err
	}
	for _, e := range []*MismatchError{
		suits("Kafka", v.KafkaVersion, v.KafkaImage, images.KafkaVersion, o.KafkaImage),
		suits("Cassandra", v.CassandraVersion, v.CassandraImage, images.CassandraVersion, o.CassandraImage),
	} {
		if e != nil {
			return e
		}
	}
	if there, needed := v.Size(), (cluster.Size{Kafka: o.Kafka, Cassandra: o.Cassandra}); !there.Serves(needed) {
		return fmt.Errorf("a warm cluster is up, but a smaller one than this run asks for: %w\n  chaos down removes it, and chaos up --kafka %d "+
			"--cassandra %d starts one that serves; --cold leaves it alone and starts other servers",
			&cluster.TooSmall{There: there, Needed: needed}, needed.Kafka, needed.Cassandra)
	}
	for server, t := range found {
		if there := t.labels[owner.LabelDefinition]; there != fingerprint {
			return &MismatchError{What: "the set-up of " + server, There: "that of another version of chaos (" + there + ")",
				Wanted: "this one's (" + fingerprint + ")"}
		}
	}
	return nil
}

// suits compares one server: with the image that was asked for, or else with the version that the rig is made for.
func suits(server, version string, image images.Image, wantVersion, wantImage string) *MismatchError {
	there := fmt.Sprintf("%s %s of image %s", server, version, image.Ref)
	switch {
	case wantImage != "" && wantImage != image.Ref:
		return &MismatchError{What: "the image of " + server, There: there, Wanted: "image " + wantImage}
	case wantImage == "" && wantVersion != version:
		return &MismatchError{What: "the version of " + server, There: there, Wanted: server + " " + wantVersion}
	}
	return nil
}
