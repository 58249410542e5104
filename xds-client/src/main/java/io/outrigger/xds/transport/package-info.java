/**
 * The network side of the ADS client: the gRPC channel to a control plane (A57 "Connectivity Status
 * Information via ADS Stream Failure", A27 "channel_creds"). Callbacks of gRPC move to the control
 * loop before anything else happens. No other package owns a channel to a control plane.
 */
@NullMarked
package io.outrigger.xds.transport;

import org.jspecify.annotations.NullMarked;
