/**
 * The composition root: what is made, in which order, and how it ends. {@link
 * io.outrigger.program.app.TargetRuntime} is where an update becomes a selector (A31, A74); it
 * lives on the control loop and publishes to event loops.
 */
@NullMarked
package io.outrigger.program.app;

import org.jspecify.annotations.NullMarked;
