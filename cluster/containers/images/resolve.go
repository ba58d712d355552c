package images

import (
	"context"
	"fmt"
	"strings"

	"github.com/moby/moby/client"
)

// NoImageError says that no image of a kind is to be had.
type NoImageError struct {
	Kind  Kind
	Tried []string // the references that the engine does not have
	Cause error    // why the last of them could not be pulled
}

func (e *NoImageError) Error() string {
	return fmt.Sprintf("no image of %s: the engine has none of %s, and could not pull it (%v); build the images from packages with `chaos images build`",
		e.Kind, strings.Join(e.Tried, ", "), e.Cause)
}

func (e *NoImageError) Unwrap() error { return e.Cause }

// Resolve returns the image to start a server of the given kind from. The reference override, from a
// flag, is taken as it is. Without one it is the official image if the engine has it, else the locally
// built one, else the official one pulled from its registry. The error is a [NoEngineError] or a
// [NoImageError] where these apply.
func Resolve(ctx context.Context, kind Kind, override string) (Image, error) {
	e, err := Connect(ctx)
	if err != nil {
		return Image{}, err
	}
	defer e.Close()
	return resolve(ctx, docker{e}, kind, override)
}

// Present returns the image that [Resolve] would, if the engine has it: nothing is pulled.
func Present(ctx context.Context, c *client.Client, kind Kind, override string) (image Image, ok bool, err error) {
	return present(ctx, docker{c}, kind.candidates(override))
}

// candidates are the references that stand for the kind, the best first.
func (k Kind) candidates(override string) []string {
	if override != "" {
		return []string{override}
	}
	return []string{k.official(), k.local()}
}

func present(ctx context.Context, e engine, candidates []string) (image Image, ok bool, err error) {
	for _, ref := range candidates {
		has, err := e.has(ctx, ref)
		if err != nil {
			return Image{}, false, err
		}
		if has {
			return Named(ref), true, nil
		}
	}
	return Image{}, false, nil
}

func resolve(ctx context.Context, e engine, kind Kind, override string) (Image, error) {
	candidates := kind.candidates(override)
	pull := candidates[0]
	if image, ok, err := present(ctx, e, candidates); err != nil || ok {
		return image, err
	}
	if err := e.pull(ctx, pull); err != nil {
		if ctx.Err() != nil {
			return Image{}, err
		}
		return Image{}, &NoImageError{Kind: kind, Tried: candidates, Cause: err}
	}
	return Named(pull), nil
}
