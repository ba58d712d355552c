package images

import (
	"context"
	"fmt"
	"strings"
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

func resolve(ctx context.Context, e engine, kind Kind, override string) (Image, error) {
	candidates := []string{kind.official(), kind.local()}
	pull := kind.official()
	if override != "" {
		candidates, pull = []string{override}, override
	}
	for _, ref := range candidates {
		has, err := e.has(ctx, ref)
		if err != nil {
			return Image{}, err
		}
		if has {
			return Named(ref), nil
		}
	}
	if err := e.pull(ctx, pull); err != nil {
		if ctx.Err() != nil {
			return Image{}, err
		}
		return Image{}, &NoImageError{Kind: kind, Tried: candidates, Cause: err}
	}
	return Named(pull), nil
}
