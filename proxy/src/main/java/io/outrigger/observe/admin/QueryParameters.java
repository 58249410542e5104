package io.outrigger.observe.admin;

import io.outrigger.base.AnyThread;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Rejects query parameters that an endpoint does not know. Otherwise the reply would ignore a
 * misspelt parameter and so answer a different question.
 */
@AnyThread
public final class QueryParameters {
  private QueryParameters() {}

  /**
   * Returns {@code endpoint} with a check that answers 400 to parameters other than {@code known}.
   */
  public static AdminEndpoint checked(AdminEndpoint endpoint, String... known) {
    List<String> names = List.of(known);
    return request -> {
      Optional<String> refusal = refusal(request, names);
      return refusal.isPresent()
          ? CompletableFuture.completedFuture(AdminReply.text(400, refusal.get()))
          : endpoint.answer(request);
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
