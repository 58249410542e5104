package io.outrigger.proxy.admin;

import io.outrigger.base.AnyThread;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The query parameters that endpoints know (CONTRACT section 6): one that is mistyped is refused,
 * since without it the answer would be to another question. Whoever probes or scrapes may add what
 * he likes, and so may a bookmark of the page.
 */
@AnyThread
public final class QueryParameters {
  private static final Map<String, List<String>> KNOWN =
      Map.ofEntries(
          Map.entry("GET /lb", List.of("forward", "detail")),
          Map.entry("GET /config_dump", List.of("type", "name")),
          Map.entry("GET /xds", List.of("name")),
          Map.entry("GET /events", List.of("format", "since", "detail")),
          Map.entry("GET /explain", List.of("forward", "path", "method", "header", "last")),
          Map.entry("GET /history", List.of("forward", "cluster", "endpoint")),
          Map.entry("GET /forwards", List.of()),
          Map.entry("GET /calls", List.of()),
          Map.entry("GET /loggers", List.of()),
          Map.entry("POST /loggers/*", List.of("level")),
          Map.entry("POST /drain", List.of()),
          Map.entry("POST /quit", List.of()));

  private QueryParameters() {}

  /** The same endpoints, answering 400 to names that they do not know. */
  public static Map<String, AdminEndpoint> checked(Map<String, AdminEndpoint> endpoints) {
    var checked = new HashMap<>(endpoints);
    KNOWN.forEach(
        (path, known) -> checked.computeIfPresent(path, (p, plain) -> checked(plain, known)));
    return checked;
  }

  private static AdminEndpoint checked(AdminEndpoint plain, List<String> known) {
    return request -> {
      Optional<String> refusal = refusal(request, known);
      return refusal.isPresent()
          ? CompletableFuture.completedFuture(AdminReply.text(400, refusal.get()))
          : plain.answer(request);
    };
  }

  private static Optional<String> refusal(AdminRequest request, List<String> known) {
    return request.query().keySet().stream()
        .filter(name -> !known.contains(name))
        .findFirst()
        .map(
            name ->
                "unknown parameter "
                    + AdminGuard.quoted(name)
                    + (known.isEmpty()
                        ? "; there are none here"
                        : "; known are " + String.join(", ", known)));
  }
}
