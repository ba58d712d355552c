package wire

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A driver learns where nodes are from the rows of system.local and system.peers, and from events. One port holds for all nodes
// (system.peers has none), so that each is to be found at another address at the same port. An address is replaced by one of its own
// length: no frame becomes longer.

// translatedCQL is one connection of a driver that is to find nodes elsewhere.
type translatedCQL struct {
	cql
	to   Translate
	port int
	mu   sync.Mutex
	// asked are the streams on which a driver asks where nodes are.
	asked map[int16]bool
}

// TranslatedCQL is the protocol of Cassandra for drivers that are to find each node at another address, at the same port.
func TranslatedCQL(port int, to Translate) func() Protocol {
	texts := &texts{prepared: map[string]string{}}
	return func() Protocol {
		return &translatedCQL{cql: cql{foreign: &driver{texts: texts, preparing: map[int16]string{}}}, to: to, port: port, asked: map[int16]bool{}}
	}
}

const (
	opStartup = 0x01
	opQuery   = 0x07
	opPrepare = 0x09
	opExecute = 0x0a
	opEvent   = 0x0c
	opBatch   = 0x0d

	resultPrepared = 4
)

var errCompressed = errors.New("the driver asks for compression, which is not read here: let it do without")

func (c *translatedCQL) asks(m []byte) error {
	f := frame(m)
	body, _ := f.parts()
	r := reader{rest: body}
	switch f.opcode() {
	case opStartup:
		options := r.options()
		if options["COMPRESSION"] != "" {
			return errCompressed
		}
		c.foreign.named(options)
	case opQuery:
		if text := strings.ToLower(r.longString()); strings.Contains(text, "system.local") || strings.Contains(text, "system.peers") {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.asked[f.stream()] = true
		}
	case opPrepare:
		c.foreign.prepares(f.stream(), r.longString())
	}
	return nil
}

func (c *translatedCQL) translates(m []byte) ([]byte, error) {
	f := frame(m)
	body, _ := f.parts()
	switch {
	case f.opcode() == opEvent:
		return c.ofEvent(m, body)
	case f.opcode() != opResult:
		return m, nil
	}
	c.foreign.answered(f.stream(), body)
	c.mu.Lock()
	asked := c.asked[f.stream()]
	delete(c.asked, f.stream())
	c.mu.Unlock()
	if !asked {
		return m, nil
	}
	return c.ofRows(m, body)
}

// ofEvent replaces the address of an event about a node.
func (c *translatedCQL) ofEvent(m, body []byte) ([]byte, error) {
	r := reader{rest: body}
	if kind := r.string(); kind != "TOPOLOGY_CHANGE" && kind != "STATUS_CHANGE" {
		return m, nil
	}
	r.string()
	n := r.take(1)
	if len(n) == 0 {
		return m, nil
	}
	out := slices.Clone(m)
	at := len(m) - len(r.rest)
	return out, c.replace(out[at:min(len(out), at+int(n[0]))])
}

// ofRows replaces the addresses that a driver is told to connect to.
func (c *translatedCQL) ofRows(m, body []byte) ([]byte, error) {
	r := reader{rest: body}
	if r.int() != resultRows {
		return m, nil
	}
	names := r.columns()
	out := slices.Clone(m)
	for range r.int() {
		for _, name := range names {
			cell := r.take(max(0, r.int()))
			if name != "rpc_address" && name != "native_address" {
				continue
			}
			at := len(m) - len(r.rest)
			if err := c.replace(out[at-len(cell) : at]); err != nil {
				return nil, err
			}
		}
		if len(r.rest) == 0 {
			break
		}
	}
	return out, nil
}

// replace puts another address in the place of one. A node that names none is found where it was asked.
func (c *translatedCQL) replace(cell []byte) error {
	address, ok := netip.AddrFromSlice(cell)
	if !ok || address.IsUnspecified() {
		return nil
	}
	to, err := c.to(net.JoinHostPort(address.Unmap().String(), strconv.Itoa(c.port)))
	if err != nil {
		return err
	}
	other, err := netip.ParseAddrPort(to)
	if err != nil {
		return err
	}
	with := other.Addr().AsSlice()
	if len(cell) == 16 {
		all := other.Addr().As16()
		with = all[:]
	}
	if len(with) != len(cell) || int(other.Port()) != c.port {
		return fmt.Errorf("a node at %s cannot be found at %s: an address of the same kind and the same port are needed", address, to)
	}
	copy(cell, with)
	return nil
}

// columns gives the names of a result's columns (native protocol, section 4.2.5.2); none where it does not tell them.
func (r *reader) columns() (names []string) {
	const global, paged, without, changed = 1, 2, 4, 8
	flags, n := r.int(), r.int()
	if flags&paged != 0 {
		r.take(max(0, r.int()))
	}
	if flags&changed != 0 {
		r.take(r.short())
	}
	if flags&without != 0 {
		return nil
	}
	if flags&global != 0 {
		r.string()
		r.string()
	}
	for range n {
		if len(r.rest) == 0 {
			break
		}
		if flags&global == 0 {
			r.string()
			r.string()
		}
		names = append(names, r.string())
		r.skipType(0)
	}
	return names
}

// skipType passes over a column's type. No type of a system table is nested deep.
func (r *reader) skipType(depth int) {
	const custom, list, mapping, set, udt, tuple = 0x00, 0x20, 0x21, 0x22, 0x30, 0x31
	if depth > 8 {
		return
	}
	inner := 0
	switch r.short() {
	case custom:
		r.string()
	case list, set:
		inner = 1
	case mapping:
		inner = 2
	case tuple:
		inner = r.short()
	case udt:
		r.string()
		r.string()
		for range r.short() {
			r.string()
			r.skipType(depth + 1)
		}
	}
	for range inner {
		r.skipType(depth + 1)
	}
}

func (r *reader) string() string     { return string(r.take(r.short())) }
func (r *reader) longString() string { return string(r.take(max(0, r.int()))) }

func (r *reader) options() map[string]string {
	all := map[string]string{}
	for range r.short() {
		key := r.string()
		all[key] = r.string()
	}
	return all
}
