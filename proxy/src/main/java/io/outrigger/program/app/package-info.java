/**
 * {@link io.outrigger.program.app.ProxyApp} starts and ends the sidecar; {@link
 * io.outrigger.program.app.Components} are the components that it creates first. {@link
 * io.outrigger.program.app.TargetRuntime} turns each update into a selector (A31, A74). It runs on
 * the control loop and publishes selectors to event loops.
 */
@NullMarked
package io.outrigger.program.app;

import org.jspecify.annotations.NullMarked;
