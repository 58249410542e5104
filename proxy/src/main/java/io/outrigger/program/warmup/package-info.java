/**
 * The first requests of a process, made by itself: a listener, the routes and the balancing of a
 * small mesh of its own, and a backend that is ourselves, all on loopback. They go the way of every
 * request, so that the code of that way is loaded, linked and partly compiled before an app calls.
 * Begins and ends on the control loop; requests live on an event loop.
 */
@NullMarked
package io.outrigger.program.warmup;

import org.jspecify.annotations.NullMarked;
