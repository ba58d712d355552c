package clients

import (
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
)

// Static members (KIP-345). One says no goodbye: whoever comes by its name within its session takes its place, and nobody else
// notices. The client that it was before is fenced, for good: in Java every call of it throws, while franz-go goes on trying
// under the id of which it was told that it is none any more.

// static tells whether the member is one.
func (m *member) static() bool { return m.config.Instance != "" }

// instance is the name that goes with its requests; nil of a dynamic member.
func (m *member) instance() *string {
	if !m.static() {
		return nil
	}
	return &m.config.Instance
}

// fencedBy tells whether an error says that another client is the member by now, and ends the member by it.
func (m *member) fencedBy(err error) bool {
	if !errors.Is(err, kerr.FencedInstanceID) {
		return false
	}
	if m.failure == nil && !m.closed {
		m.failure = fmt.Errorf("another client is the static member %s by now: %w", m.config.Instance, kerr.FencedInstanceID)
	}
	return true
}
