/**
 * The composition root, which creates all components in order and shuts them down. {@link
 * io.outrigger.program.app.TargetRuntime} turns each update into a selector (A31, A74). This class
 * runs on the control loop and publishes selectors to event loops.
 */
@NullMarked
package io.outrigger.program.app;

import org.jspecify.annotations.NullMarked;
