package io.outrigger.observe.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.FakeControlLoop;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventLogTest {
  private static final int ALL = Integer.MAX_VALUE;

  private final FakeControlLoop loop = new FakeControlLoop();
  private final EventLog log = new EventLog(loop);

  @Test
  void numbersCountUpAndAReaderGoesOnWhereItWas() {
    add(EventKind.DRAIN, 3);

    EventLog.Page first = after(0, 2);
    EventLog.Page second = after(first.next(), 2);

    assertThat(first.events()).extracting(Event::seq).containsExactly(1L, 2L);
    assertThat(second.events()).extracting(Event::seq).containsExactly(3L);
    assertThat(after(second.next(), 2).events()).isEmpty();
  }

  @Test
  void aFloodOfOneKindPushesOutOnlyItself() {
    add(EventKind.NACK, 1);

    add(EventKind.ENDPOINT_STATE, 10_000);

    List<Event> kept = after(0, ALL).events();
    assertThat(kept).hasSize(1 + EventLog.KEPT_OF_A_KIND);
    assertThat(kept.get(0).kind()).isEqualTo(EventKind.NACK);
  }

  @Test
  void whoMissedSomethingSeesItByTheNumbers() {
    add(EventKind.ENDPOINT_STATE, EventLog.KEPT_OF_A_KIND + 5);

    assertThat(after(3, ALL).events()).hasSize(EventLog.KEPT_OF_A_KIND);
    assertThat(after(3, ALL).events().get(0).seq()).as("4 and 5 are gone").isEqualTo(6);
    assertThat(after(5, ALL).events().get(0).seq()).isEqualTo(6);
  }

  /** A control plane may send versions, names and errors of any length. */
  @Test
  void longTextsAreCut() {
    String text = "x".repeat(1 << 20);
    loop.inside(() -> log.add(EventKind.RESOURCE_ERROR, "", text, text));

    Event kept = after(0, ALL).events().get(0);
    assertThat(kept.subject()).hasSize(Event.MAX_TEXT + 1).endsWith("x…");
    assertThat(kept.message()).hasSize(Event.MAX_TEXT + 1).endsWith("x…");
  }

  @Test
  void listenersHearOfEachUntilTheyLeave() {
    List<String> heard = new ArrayList<>();
    Runnable listener = () -> heard.add("more");

    loop.inside(() -> log.listen(listener));
    add(EventKind.ACK, 2);
    loop.inside(() -> log.unlisten(listener));
    add(EventKind.ACK, 1);

    assertThat(heard).hasSize(2);
  }

  private void add(EventKind kind, int times) {
    for (int i = 0; i < times; i++) {
      loop.inside(() -> log.add(kind, "orders", "subject", "text"));
    }
  }

  private EventLog.Page after(long since, int limit) {
    List<EventLog.Page> page = new ArrayList<>();
    loop.inside(() -> page.add(log.after(since, limit)));
    return page.get(0);
  }
}
