// Package proxy stands between servers and clients of other processes, and puts what they send each other under the rules of the
// wire. Servers tell their clients where servers are; through the proxy they are told where the proxy listens for each. What is
// not in the clear it does not carry: TLS, SASL's own encryption, a driver's compression.
package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"

	"github.com/single-writer/chaos/cluster/clients/wire"
)

// Proxy listens for each server that a client has been told of. A client is named by its client id (Kafka), or by the application or
// the driver that it says it is (Cassandra).
type Proxy struct {
	// Rules act upon all that goes through.
	Rules    *wire.Rules
	config   Config
	protocol func() wire.Protocol
	ctx      context.Context
	stop     context.CancelFunc
	work     sync.WaitGroup

	mu sync.Mutex
	// listeners are those there are, by the server's address.
	listeners map[string]net.Listener
	open      map[net.Conn]bool
}

// Config is how a proxy is made.
type Config struct {
	// Servers are the addresses of one or more servers, as host:port.
	Servers []string
	// Listen is where the proxy is to listen for the n-th server that it learns of, from 0.
	Listen func(n int, server string) string
	// Log is told why a connection was given up.
	Log func(string)
}

// APortEach lets the proxy listen on ports of 127.0.0.1 that are free.
func APortEach(int, string) string { return "127.0.0.1:0" }

// AnAddressEach lets it listen on 127.0.0.11, 127.0.0.12, ... at the server's own port: drivers of Cassandra take one port for all
// nodes.
func AnAddressEach(n int, server string) string {
	_, port, _ := net.SplitHostPort(server)
	return net.JoinHostPort("127.0.0."+strconv.Itoa(11+n), port)
}

// Kafka makes a proxy before brokers.
func Kafka(c Config) (*Proxy, error) {
	p := newProxy(c)
	p.protocol = wire.TranslatedKafka(p.at)
	return p.listens()
}

// Cassandra makes a proxy before nodes, which all have the same port.
func Cassandra(c Config) (*Proxy, error) {
	p := newProxy(c)
	if len(c.Servers) == 0 {
		return p.listens()
	}
	_, text, err := net.SplitHostPort(c.Servers[0])
	if err != nil {
		return nil, err
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return nil, fmt.Errorf("the port of %s: %w", c.Servers[0], err)
	}
	p.protocol = wire.TranslatedCQL(port, p.at)
	return p.listens()
}

func newProxy(c Config) *Proxy {
	p := &Proxy{Rules: &wire.Rules{}, config: c, listeners: map[string]net.Listener{}, open: map[net.Conn]bool{}}
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p
}

func (p *Proxy) listens() (*Proxy, error) {
	if len(p.config.Servers) == 0 {
		return nil, errors.New("a proxy needs the address of a server")
	}
	for _, s := range p.config.Servers {
		if _, err := p.at(s); err != nil {
			p.Close()
			return nil, err
		}
	}
	return p, nil
}

// Addrs are where the servers of the configuration are found, in their order.
func (p *Proxy) Addrs() (all []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.config.Servers {
		all = append(all, p.listeners[s].Addr().String())
	}
	return all
}

// at gives where a server is found, and listens there when nobody has asked for it before.
func (p *Proxy) at(server string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l, ok := p.listeners[server]; ok {
		return l.Addr().String(), nil
	}
	if err := p.ctx.Err(); err != nil {
		return "", err
	}
	l, err := net.Listen("tcp", p.config.Listen(len(p.listeners), server))
	if err != nil {
		return "", fmt.Errorf("listen for %s: %w", server, err)
	}
	p.listeners[server] = l
	p.work.Go(func() { p.serve(l, server) })
	return l.Addr().String(), nil
}

func (p *Proxy) serve(l net.Listener, server string) {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		p.work.Go(func() {
			if err := p.carry(client, server); err != nil && p.ctx.Err() == nil {
				p.config.Log(fmt.Sprintf("%s to %s: %v", client.RemoteAddr(), server, err))
			}
		})
	}
}

// carry carries one connection until either end closes it.
func (p *Proxy) carry(client net.Conn, server string) error {
	defer p.closes(client)()
	var d net.Dialer
	c, err := d.DialContext(p.ctx, "tcp", server)
	if err != nil {
		return err
	}
	upstream := p.Rules.Wrap(c, p.protocol())
	there := make(chan error, 1)
	go func() {
		_, err := io.Copy(upstream, client)
		upstream.Close() // what rules keep on its way comes there all the same
		there <- err
	}()
	_, err = io.Copy(client, upstream)
	if err != nil {
		_ = client.(*net.TCPConn).SetLinger(0) // the client sees it break, as it would have
	}
	client.Close()
	return cause(<-there, err)
}

// cause is why a connection ended, where that is not that somebody closed it.
func cause(all ...error) error {
	for _, err := range all {
		var op *net.OpError
		if err != nil && !errors.Is(err, net.ErrClosed) && !errors.As(err, &op) {
			return err
		}
	}
	return nil
}

// closes lets Close end the connection of a client, and gives what ends it otherwise.
func (p *Proxy) closes(c net.Conn) func() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[c] = true
	if p.ctx.Err() != nil {
		c.Close()
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.open, c)
		c.Close()
	}
}

// Close ends all connections, and waits until all is over.
func (p *Proxy) Close() {
	p.stop()
	p.Rules.Clear(func(string) bool { return true })
	p.mu.Lock()
	for _, l := range p.listeners {
		l.Close()
	}
	for c := range p.open {
		c.Close()
	}
	p.mu.Unlock()
	p.work.Wait()
}
