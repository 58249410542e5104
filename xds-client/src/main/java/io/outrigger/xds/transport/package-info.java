/**
 * The gRPC channels to control planes (A57 "Connectivity Status Information via ADS Stream
 * Failure", A27 "channel_creds"), to a SPIFFE Workload API and to Istio's CA.
 */
@NullMarked
package io.outrigger.xds.transport;

import org.jspecify.annotations.NullMarked;
