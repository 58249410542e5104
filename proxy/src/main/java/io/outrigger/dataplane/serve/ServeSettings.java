package io.outrigger.dataplane.serve;

import io.outrigger.base.AnyThread;
import java.time.Duration;

/**
 * The settings that all {@code --serve} ports share.
 *
 * @param drainSpread the time over which GOAWAYs are spread after a change of the Listener, at most
 *     {@code drainGrace}
 * @param drainGrace the time after such a change at which the last old connections are closed
 * @param requiresRbac whether filter chains without an RBAC filter of action ALLOW refuse every
 *     request
 * @param tellsPeer whether the app gets {@code x-forwarded-client-cert}
 */
@AnyThread
public record ServeSettings(
    Duration drainSpread, Duration drainGrace, boolean requiresRbac, boolean tellsPeer) {}
