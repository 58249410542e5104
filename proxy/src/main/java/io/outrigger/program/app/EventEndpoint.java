package io.outrigger.program.app;

import static io.outrigger.observe.admin.AdminRequest.require;

import io.outrigger.base.AnyThread;
import io.outrigger.observe.admin.AdminEndpoint;
import io.outrigger.observe.admin.AdminReply;
import io.outrigger.observe.admin.AdminRequest;
import io.outrigger.observe.admin.EventFeed;
import io.outrigger.observe.admin.EventViews;
import io.outrigger.observe.events.EventLog;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * {@code GET /events}: a stream of events, or a list with {@code format=json}. The reply has the
 * events whose number is larger than the number in {@code since} or {@code Last-Event-ID}.
 */
@AnyThread
final class EventEndpoint implements AdminEndpoint {
  private static final int MAX_STREAMS = 64;
  private static final int NO_LIMIT = Integer.MAX_VALUE;
  private static final int PAGE_SIZE = 32;

  private final Components components;
  private final EventLog events;
  private final AtomicInteger streams = new AtomicInteger();

  EventEndpoint(Components components) {
    this.components = components;
    this.events = components.events;
  }

  @Override
  public CompletionStage<AdminReply> answer(AdminRequest request) {
    boolean isList = request.choice("format", "json", "stream").filter("json"::equals).isPresent();
    Optional<String> from = request.parameter("since").or(request::lastEventId);
    require(from.orElse("0").matches("\\d{1,18}"), "since is the number of an event, 0 or more");
    long since = from.map(Long::parseLong).orElse(0L);
    return isList
        ? components.onControl(() -> events.after(since, NO_LIMIT)).thenApplyAsync(EventViews::list)
        : stream(since).done();
  }

  private AdminReply stream(long since) {
    if (streams.incrementAndGet() > MAX_STREAMS) {
      streams.decrementAndGet();
      return AdminReply.text(503, MAX_STREAMS + " streams of events are open; close one");
    }
    return AdminReply.events(new Feed(since));
  }

  /** The position of one reader in the event log. All fields are confined to the control loop. */
  private final class Feed implements EventFeed {
    private long since;
    private Runnable listener = () -> {};
    private boolean closed;

    Feed(long since) {
      this.since = since;
    }

    @Override
    public CompletionStage<String> next() {
      var page = new CompletableFuture<EventLog.Page>();
      components.control.execute(() -> read(page));
      return page.thenApplyAsync(EventViews::streamed);
    }

    /** Completes the given future with a page of events, as soon as the log has newer events. */
    private void read(CompletableFuture<EventLog.Page> page) {
      events.unlisten(listener);
      EventLog.Page found = events.after(since, PAGE_SIZE);
      since = found.next();
      if (!found.events().isEmpty()) {
        page.complete(found);
      } else if (!closed) {
        listener = () -> read(page);
        events.listen(listener);
      }
    }

    @Override
    public void close() {
      components.control.execute(
          () -> {
            if (!closed) {
              closed = true;
              streams.decrementAndGet();
              events.unlisten(listener);
            }
          });
    }
  }
}
