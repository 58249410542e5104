package io.outrigger.program.app;

import static io.outrigger.observe.admin.AdminRequest.require;

import io.outrigger.base.AnyThread;
import io.outrigger.observe.admin.AdminEndpoint;
import io.outrigger.observe.admin.AdminReply;
import io.outrigger.observe.admin.AdminRequest;
import io.outrigger.observe.admin.EventViews;
import io.outrigger.observe.events.EventLog;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/**
 * {@code GET /events}: a stream of events, or a list with {@code format=json}. The reply has the
 * events after the number in {@code since} or {@code Last-Event-ID}.
 */
@AnyThread
record EventEndpoint(Parts parts) implements AdminEndpoint {
  private static final int NO_LIMIT = Integer.MAX_VALUE;

  /** The maximum number of events that a stream keeps in memory for its reader. */
  private static final int PAGE_SIZE = 16;

  @Override
  public CompletionStage<AdminReply> answer(AdminRequest request) {
    boolean isList = request.choice("format", "json", "stream").filter("json"::equals).isPresent();
    Optional<String> from = request.parameter("since").or(request::lastEventId);
    require(from.orElse("0").matches("\\d{1,18}"), "since is the number of an event, 0 or more");
    long since = from.map(Long::parseLong).orElse(0L);
    if (isList) {
      return parts
          .onControl(() -> parts.events.after(since, NO_LIMIT))
          .thenApplyAsync(EventViews::list);
    }
    var position = new AtomicLong(since);
    return AdminReply.events(
            () -> parts.onControl(() -> nextPage(position)).thenApplyAsync(EventViews::streamed))
        .done();
  }

  private EventLog.Page nextPage(AtomicLong position) {
    EventLog.Page page = parts.events.after(position.get(), PAGE_SIZE);
    position.set(page.next());
    return page;
  }
}
