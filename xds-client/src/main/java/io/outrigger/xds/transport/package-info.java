/**
 * The gRPC channels to control planes, to a SPIFFE Workload API and to Istio's CA (A57
 * "Connectivity Status Information via ADS Stream Failure", A27 "channel_creds").
 */
@NullMarked
package io.outrigger.xds.transport;

import org.jspecify.annotations.NullMarked;
