package io.outrigger.dataplane.filter;

import io.outrigger.config.route.RequestView;
import org.jspecify.annotations.Nullable;

/** A request that consists only of headers, given as alternating names and values. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Headers(String... fields) implements RequestView {
  @Override
  public String path() {
    return "/pkg.Svc/Call";
  }

  @Override
  public @Nullable String header(String name) {
    for (int i = 0; i < fields.length; i += 2) {
      if (fields[i].equals(name)) {
        return fields[i + 1];
      }
    }
    return null;
  }
}
