package io.outrigger.program.app;

import io.outrigger.dataplane.serve.ServedView;
import java.util.List;

/**
 * One entry of {@code /listeners}; the component names are the contract's JSON names.
 *
 * @param error why the address is not served, or why calls fail; empty when calls reach the app
 */
record ListenerView(
    String name,
    String listen,
    String app,
    String resource,
    String state,
    String error,
    List<ServedView.Chain> chains,
    int connections) {
  /** Must run on the control loop. */
  static ListenerView of(RunningServe serve, AdminState process) {
    ServedView view = serve.port().view();
    return new ListenerView(
        serve.spec().name(),
        serve.spec().listen().toString(),
        serve.spec().app().toString(),
        serve.resource(),
        view.state().toString(),
        process
            .bootstrapWait()
            .missing()
            .or(view::error)
            .orElseGet(() -> String.join("; ", serve.configErrors())),
        view.chains(),
        view.connections());
  }
}
