/**
 * What happened lately in this process, numbered, for operators (CONTRACT section 6, {@code
 * /events}). The observers of both halves write it on the control loop; readers get immutable
 * pages.
 */
@NullMarked
package io.outrigger.observe.events;

import org.jspecify.annotations.NullMarked;
