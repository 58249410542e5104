/**
 * The admin HTTP server and its page (CONTRACT section 6). It has a thread of its own; views are
 * built on the control loop and handed over as immutable values, or as text, so a slow reader
 * stalls nobody.
 */
@NullMarked
package io.outrigger.observe.admin;

import org.jspecify.annotations.NullMarked;
