package io.outrigger.lb.override;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Count;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.LbEndpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

@ControlConfined
record AffinityView(@Nullable AddressMap entries) {
  String detail(LbConfig.OverrideHost config) {
    List<String> parts = new ArrayList<>();
    if (entries == null) {
      parts.add("no session so far");
    } else {
      parts.add(Count.of(entries.kept().size(), "connection") + " kept for sessions alone");
    }
    int left = config.sessionOnly().size() + config.setAside().size();
    if (left > 0) {
      parts.add(Count.of(left, "endpoint") + " left out for health");
    }
    return String.join(", ", parts);
  }

  /** Returns the endpoints that no policy beneath knows. */
  List<LbEndpoint> unbalanced(LbConfig.OverrideHost config) {
    return Stream.concat(config.sessionOnly().stream(), config.setAside().stream())
        .map(backend -> seen(LbEndpoint.untouched(backend)))
        .toList();
  }

  /** Returns {@code endpoint}, with the connection to it if that is kept for sessions alone. */
  LbEndpoint seen(LbEndpoint endpoint) {
    AddressEntry first = entries == null ? null : entries.get(endpoint.address().bare());
    if (entries == null || first == null) {
      return endpoint;
    }
    LbEndpoint seen = endpoint;
    for (AddressEntry entry : entries.hostsOf(first.backend())) {
      if (entry.ownership() == Ownership.SESSIONS) {
        Connectivity state = Objects.requireNonNull(entry.link()).state();
        seen = seen.with(new LbEndpoint.Link(state, entry.calls()));
      }
    }
    return seen;
  }
}
