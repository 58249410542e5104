package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.config.rbac.AuthorizationInput;
import org.jspecify.annotations.Nullable;

/** A request and its caller, as RBAC judges them (A41). */
@LoopConfined
public final class CallAuthorization implements AuthorizationInput {
  private final RequestHead head;
  private final Connection connection;
  private final String urlPath;

  /** Caches the last header that was read: successive policies often read the same header. */
  private String lastName = "";

  private @Nullable String lastValue;

  public CallAuthorization(RequestHead head, Connection connection) {
    this.head = head;
    this.connection = connection;
    urlPath = AuthorizationInput.withoutQuery(head.path());
  }

  @Override
  public String path() {
    return head.path();
  }

  @Override
  public String urlPath() {
    return urlPath;
  }

  @Override
  public @Nullable String header(String name) {
    if (!name.equals(lastName)) {
      lastName = name;
      lastValue = head.received(name);
    }
    return lastValue;
  }

  @Override
  public Connection connection() {
    return connection;
  }
}
