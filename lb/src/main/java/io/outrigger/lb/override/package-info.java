/**
 * Session affinity across the priorities of a cluster (A75 "Changes in xds_override_host", A55):
 * who keeps the connection of each address, which endpoint a session's call goes to, and when a
 * connection ends that no session uses any more. Control loop, except the picker and what it reads
 * of the hosts. A cluster that never saw a session has nothing of it but a picker that looks for
 * the first one.
 */
@NullMarked
package io.outrigger.lb.override;

import org.jspecify.annotations.NullMarked;
