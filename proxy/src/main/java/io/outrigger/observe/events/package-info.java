/**
 * A numbered log of recent events in this process for operators (CONTRACT section 6, {@code
 * /events}). Observers of configuration and balancing add events on the control loop; readers get
 * immutable pages.
 */
package io.outrigger.observe.events;
