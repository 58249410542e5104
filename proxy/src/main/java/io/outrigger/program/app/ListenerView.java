package io.outrigger.program.app;

import io.outrigger.dataplane.serve.ServedView;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One entry of {@code /listeners}; the component names are the contract's JSON names.
 *
 * @param resource the name of the Listener
 * @param error why the address is not served, or why calls fail; empty when calls reach the app
 */
record ListenerView(
    String name,
    String listen,
    String app,
    String resource,
    String state,
    String error,
    List<Map<String, Object>> chains,
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
        view.chains().stream().map(ListenerView::of).toList(),
        view.connections());
  }

  private static Map<String, Object> of(ServedView.Chain chain) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", chain.name());
    json.put("tls", chain.tls());
    json.put("client_certificate", chain.requiresClientCertificate());
    json.put("filters", chain.filters());
    return json;
  }
}
