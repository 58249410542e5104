package io.outrigger.dataplane.serve;

import java.time.Duration;

/**
 * The settings that all {@code --serve} ports share.
 *
 * @param drainSpread the time over which the GOAWAYs to old connections are spread after a change
 *     of the Listener; at most {@code drainGrace}
 * @param drainGrace the time after which old connections are closed, even with open streams
 * @param requiresRbac whether requests are refused unless an RBAC filter with action ALLOW applies
 * @param tellsPeer whether the app gets {@code x-forwarded-client-cert}
 */
public record ServeSettings(
    Duration drainSpread, Duration drainGrace, boolean requiresRbac, boolean tellsPeer) {}
