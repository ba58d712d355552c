// Package chaos is a chaos rig for stateful stream processors. Its one question: can such a processor be corrupted by an
// owner that no longer owns its partition, and does its fence really hold? The program is cmd/chaos; docs/architecture.md
// leads through the packages.
package chaos
