package io.outrigger.proxy.events;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Outcome;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.xds.deps.DnsLookup;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Look-ups of DNS names for one forward, each answer an event: those of one name are half a minute
 * apart, failures the length of a back-off.
 */
@ControlConfined
public record DnsEvents(DnsLookup lookup, EventLog log, String forward) implements DnsLookup {
  private static final Logger logger = LoggerFactory.getLogger(DnsEvents.class);
  private static final int ADDRESSES_SHOWN = 10;

  @Override
  public Query resolve(String host, int port, Consumer<Outcome<List<EndpointAddress>>> callback) {
    return lookup.resolve(
        host,
        port,
        answer -> {
          onAnswer(host, answer);
          callback.accept(answer);
        });
  }

  private void onAnswer(String host, Outcome<List<EndpointAddress>> answer) {
    String text =
        answer.match(
            DnsEvents::shown,
            reason -> "cannot be resolved, will be tried again: " + reason.message());
    if (!answer.isOk()) {
      logger.warn("DNS name {}: {}", host, text);
    }
    log.add(EventKind.DNS, forward, host, new Event.Line(text));
  }

  private static String shown(List<EndpointAddress> addresses) {
    int more = addresses.size() - ADDRESSES_SHOWN;
    return "resolved: "
        + addresses.stream()
            .limit(ADDRESSES_SHOWN)
            .map(EndpointAddress::ip)
            .collect(Collectors.joining(", "))
        + (more > 0 ? " and " + more + " more" : "");
  }
}
