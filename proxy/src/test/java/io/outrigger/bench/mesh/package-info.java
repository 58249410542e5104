/**
 * Programs beside which {@code scripts/bench startup}, {@code memory} and {@code scale} measure a
 * sidecar: the control plane that configures all peers, and a proxyless gRPC client. No part of the
 * distribution.
 */
package io.outrigger.bench.mesh;
