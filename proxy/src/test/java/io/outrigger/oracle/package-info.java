/**
 * The sidecar beside gRPC's own xDS client: both get the same resources from the same control plane
 * and the same requests, and must do the same with them (A27, A28, A31, A32, A56). Tests run on
 * threads of their own and wait with a bound; {@code docs/extend/proofs.md} lists the accepted
 * differences.
 */
package io.outrigger.oracle;
