/**
 * The gRPC channels to control planes, to a SPIFFE Workload API and to Istio's CA (A57
 * "Connectivity Status Information via ADS Stream Failure", A27 "channel_creds").
 */
package io.outrigger.xds.transport;
