/**
 * The kernel that both halves agree on: the control loop and its timers, randomness, back-off,
 * outcomes and statuses, and the annotations that say which thread owns what.
 *
 * <p>Nothing here knows xDS, gRPC libraries or sockets. Clocks and randomness exist only here; the
 * architecture tests hold that line.
 */
@NullMarked
package io.outrigger.base;

import org.jspecify.annotations.NullMarked;
