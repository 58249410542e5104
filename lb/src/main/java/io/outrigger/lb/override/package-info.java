/**
 * Session affinity across the priorities of a cluster (A75 "Changes in xds_override_host", A55):
 * the owner of the connection of each address, the endpoint of a session's call, and the end of
 * connections that no session uses any more. Control loop, except the picker and the fields of the
 * entries that it reads. A cluster that never saw a session has only a picker that waits for the
 * first one.
 */
@NullMarked
package io.outrigger.lb.override;

import org.jspecify.annotations.NullMarked;
