/**
 * Session affinity across the priorities of a cluster (A75 "Changes in xds_override_host", A55):
 * the owner of the connection of each address, the endpoint of a session's call, and the closing of
 * connections that no session uses any more. All classes are used on the control loop, except the
 * picker and the fields of the entries that the picker reads. A cluster in which no session was
 * seen has only a picker that waits for the first session.
 */
@NullMarked
package io.outrigger.lb.override;

import org.jspecify.annotations.NullMarked;
