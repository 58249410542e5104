package io.outrigger.observe.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.FakeControlLoop;
import io.outrigger.xds.testing.FakeDnsLookup;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DnsEventsTest {
  private final FakeControlLoop loop = new FakeControlLoop();
  private final FakeDnsLookup dns = new FakeDnsLookup(loop);
  private final EventLog log = new EventLog(loop);
  private final DnsEvents lookup = new DnsEvents(dns, log, "orders");

  private void lookUp(Runnable answer) {
    loop.execute(() -> lookup.resolve("pay.test", 80, outcome -> {}));
    loop.execute(answer);
    loop.run();
  }

  private List<String> events() {
    List<String> texts = new ArrayList<>();
    loop.inside(
        () ->
            log.after(0, Integer.MAX_VALUE)
                .events()
                .forEach(event -> texts.add(event.subject() + " " + event.message())));
    return texts;
  }

  @Test
  void onlyAnAnswerThatDiffersIsAnEvent() {
    lookUp(() -> dns.fail("pay.test", "SERVFAIL"));
    lookUp(() -> dns.fail("pay.test", "SERVFAIL"));
    lookUp(() -> dns.answer("pay.test", "10.0.0.1", "10.0.0.2"));
    lookUp(() -> dns.answer("pay.test", "10.0.0.2", "10.0.0.1"));
    lookUp(() -> dns.answer("pay.test", "10.0.0.2"));
    lookUp(() -> dns.fail("pay.test", "SERVFAIL"));

    assertThat(events())
        .containsExactly(
            "pay.test cannot be resolved, will be tried again: SERVFAIL",
            "pay.test resolved: 10.0.0.1, 10.0.0.2",
            "pay.test resolved: 10.0.0.2",
            "pay.test cannot be resolved, will be tried again: SERVFAIL");
  }
}
