/**
 * {@link io.outrigger.program.app.ProxyApp} starts and ends the sidecar, and first creates its
 * {@link io.outrigger.program.app.Components}. {@link io.outrigger.program.app.TargetRuntime} runs
 * on the control loop: it turns each update into a config selector (A31, A74), which event loops
 * use.
 */
package io.outrigger.program.app;
