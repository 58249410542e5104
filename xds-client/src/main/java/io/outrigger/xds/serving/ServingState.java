package io.outrigger.xds.serving;

import io.outrigger.base.AnyThread;

/** Whether the control plane permits an address to be served, and the configuration (A36). */
@AnyThread
public sealed interface ServingState {
  /**
   * The control plane has not answered yet.
   *
   * @param reason the missing resource, or why the control plane does not answer
   */
  record Waiting(String reason) implements ServingState {}

  record Serving(ServingConfig config) implements ServingState {}

  /**
   * The control plane has answered, but there is no Listener that can be served.
   *
   * @param reason names the Listener, the error and the remedy
   */
  record NotServing(String reason) implements ServingState {}
}
