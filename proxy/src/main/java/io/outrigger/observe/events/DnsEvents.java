package io.outrigger.observe.events;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Count;
import io.outrigger.base.Outcome;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.xds.deps.DnsLookup;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the DNS lookups of one forward. Adds an answer to the event log if it differs from the
 * previous answer for the name. A new failure is also logged as a warning. Equal answers are not
 * reported again, because a failing name is looked up again and again.
 */
@ControlConfined
public final class DnsEvents implements DnsLookup {
  private static final Logger logger = LoggerFactory.getLogger(DnsEvents.class);
  private static final int ADDRESSES_SHOWN = 10;
  private static final int MAX_NAMES = 1000;

  private final DnsLookup lookup;
  private final EventLog log;
  private final String forward;
  private final Map<String, String> lastAnswers = new HashMap<>();

  public DnsEvents(DnsLookup lookup, EventLog log, String forward) {
    this.lookup = lookup;
    this.log = log;
    this.forward = forward;
  }

  @Override
  public Runnable resolve(String host, int port, Consumer<Outcome<Answer>> callback) {
    return lookup.resolve(
        host,
        port,
        answer -> {
          onAnswer(host, answer);
          callback.accept(answer);
        });
  }

  private void onAnswer(String host, Outcome<Answer> answer) {
    String text =
        answer.match(
            found -> shown(found.addresses()),
            reason -> "cannot be resolved, will be tried again: " + reason.message());
    if (lastAnswers.size() >= MAX_NAMES) {
      lastAnswers.clear();
    }
    if (text.equals(lastAnswers.put(host, text))) {
      return;
    }
    if (!answer.isOk()) {
      logger.warn("DNS name {}: {}", host, text);
    }
    log.add(EventKind.DNS, forward, host, text);
  }

  private static String shown(List<EndpointAddress> addresses) {
    return "resolved: "
        + Count.list(
            addresses.stream().map(EndpointAddress::ip).sorted().toList(), // servers vary the order
            ADDRESSES_SHOWN);
  }
}
