/**
 * Programs beside which {@code scripts/bench startup}, {@code memory}, {@code scale} and {@code
 * serve} measure a sidecar: the control plane that configures all peers, a proxyless gRPC client,
 * and callers with a client certificate. No part of the distribution.
 */
package io.outrigger.bench.mesh;
