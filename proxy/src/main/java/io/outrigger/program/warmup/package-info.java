/**
 * Sends the first requests of a process itself. A small mesh on loopback has its own listener,
 * routes, balancing and an echo backend in the same process. The requests take the path of every
 * request, so the code of that path is loaded, linked and partly compiled before an app calls. The
 * warm-up begins and ends on the control loop; its requests run on an event loop.
 */
@NullMarked
package io.outrigger.program.warmup;

import org.jspecify.annotations.NullMarked;
