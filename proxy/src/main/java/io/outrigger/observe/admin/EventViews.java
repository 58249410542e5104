package io.outrigger.observe.admin;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outrigger.base.AnyThread;
import io.outrigger.base.Count;
import io.outrigger.base.PlainText;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.lb.view.OutlierEvent;
import io.outrigger.observe.events.Event;
import io.outrigger.observe.events.EventPage;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.stream.AdsObserver;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Renders events as JSON, in the form of CONTRACT section 6. The differences between two versions
 * of a resource are computed when a client first reads the event, and cached.
 */
@AnyThread
public final class EventViews {
  private static final int MAX_MESSAGE = 4096;
  private static final int MAX_CACHED_DIFFERENCES = 500;
  private static final int LINES_IN_MESSAGE = 5;

  private final Function<RawResource, String> toJson;
  private final Map<Long, List<Difference>> cachedDifferences = new ConcurrentHashMap<>();

  /** The change of one resource; has no lines for a resource that is new or no longer held. */
  private record Difference(String name, String change, List<String> lines) {}

  /**
   * @param toJson renders a resource as proto3 JSON; does not fail on unknown messages
   */
  public EventViews(Function<RawResource, String> toJson) {
    this.toJson = toJson;
  }

  /**
   * Returns a list of events.
   *
   * @param isFull whether each event also has its numbers as separate members
   */
  public AdminReply list(EventPage page, boolean isFull) {
    var list = new JsonArray();
    page.events().forEach(event -> list.add(json(event, isFull)));
    return AdminReply.json(list);
  }

  /** Renders a part of a stream. The event ids let a reader that lost its connection resume. */
  public String streamed(EventPage page, boolean isFull) {
    var text = new StringBuilder();
    for (Event event : page.events()) {
      text.append("id: ").append(event.seq());
      text.append("\ndata: ")
          .append(PlainText.ofJson(json(event, isFull).toString()))
          .append("\n\n");
    }
    return text.toString();
  }

  private JsonObject json(Event event, boolean isFull) {
    var json = new JsonObject();
    json.addProperty("seq", event.seq());
    json.addProperty("time", event.time().toString());
    json.addProperty("kind", event.kind().word());
    json.addProperty("forward", event.forward());
    json.addProperty("subject", event.subject());
    json.addProperty("message", message(event));
    if (isFull) {
      json.add("detail", detail(event));
    }
    return json;
  }

  private String message(Event event) {
    String message;
    if (event.cause() instanceof Event.Line line) {
      message = line.text();
    } else if (event.cause() instanceof Event.Balancing balancing) {
      message = message(balancing.event());
    } else if (event.cause() instanceof Event.Answer answer) {
      message = message(answer, differences(event.seq(), answer));
    } else {
      throw new AssertionError(event.cause());
    }
    return message.length() <= MAX_MESSAGE ? message : message.substring(0, MAX_MESSAGE) + "…";
  }

  private static String message(LbEvent event) {
    if (event instanceof OutlierEvent.Ejected ejected) {
      return "cluster %s: ejected until %s, %s; %s endpoints are ejected, %s before; multiplier %d"
          .formatted(
              ejected.cluster(),
              ejected.until().truncatedTo(ChronoUnit.MILLIS),
              ejected.evidence().text(),
              ejected.after(),
              ejected.before(),
              ejected.multiplier());
    }
    if (event instanceof OutlierEvent.Returned returned) {
      return "cluster %s: in service again, %s; ejected since %s"
          .formatted(
              returned.cluster(),
              returned.reason().text(),
              returned.since().truncatedTo(ChronoUnit.MILLIS));
    }
    if (event instanceof LbEvent.PrioritySwitch change) {
      return "%s is in use now (%s) instead of %s: %s"
          .formatted(change.to(), change.state(), change.from(), change.reason());
    }
    if (event instanceof LbEvent.EndpointState change) {
      return "cluster "
          + change.cluster()
          + (change.state() == Connectivity.READY
              ? ": connected again"
              : change.state() == Connectivity.TRANSIENT_FAILURE
                  ? ": cannot be connected to: " + change.reason().message()
                  : ": connection lost");
    }
    if (event instanceof LbEvent.Outage outage) {
      return outage.text();
    }
    if (event instanceof LbEvent.OutageOver over) {
      return over.text();
    }
    throw new AssertionError(event);
  }

  private static String message(Event.Answer answer, List<Difference> differences) {
    AdsObserver.Response response = answer.response();
    var text = new StringBuilder();
    if (answer.refusal().isEmpty()) {
      text.append(
          "accepted %s version \"%s\" of %s: %s, %d changed"
              .formatted(
                  response.type().label(),
                  response.version(),
                  answer.server(),
                  Count.of(response.valid(), "resource"),
                  response.changed()));
    } else {
      text.append(
          "refused %s version \"%s\" of %s: %s"
              .formatted(
                  response.type().label(), response.version(), answer.server(), answer.refusal()));
    }
    for (Difference difference : differences) {
      text.append("; ").append(difference.name()).append(' ').append(difference.change());
      List<String> lines = difference.lines();
      for (String line : lines.subList(0, Math.min(lines.size(), LINES_IN_MESSAGE))) {
        text.append(", ").append(line);
      }
      if (lines.size() > LINES_IN_MESSAGE) {
        text.append(", …");
      }
    }
    return text.toString();
  }

  private List<Difference> differences(long seq, Event.Answer answer) {
    List<Difference> known = cachedDifferences.get(seq);
    if (known != null) {
      return known;
    }
    List<Difference> made = new ArrayList<>();
    for (AdsObserver.Change change : answer.response().changes()) {
      List<String> lines =
          change
              .before()
              .map(before -> JsonDifference.of(body(before), body(change.after())))
              .orElse(List.of());
      String word =
          change.isRefused() ? "refused" : change.before().isPresent() ? "changed" : "is new";
      made.add(new Difference(change.name(), word, lines));
    }
    if (made.stream().anyMatch(difference -> !difference.lines().isEmpty())) {
      if (cachedDifferences.size() >= MAX_CACHED_DIFFERENCES) {
        cachedDifferences.clear();
      }
      cachedDifferences.put(seq, List.copyOf(made));
    }
    return made;
  }

  private JsonElement body(RawResource resource) {
    return JsonParser.parseString(toJson.apply(resource));
  }

  private JsonObject detail(Event event) {
    if (event.cause() instanceof Event.Answer answer) {
      return detail(answer, differences(event.seq(), answer));
    }
    var json = new JsonObject();
    if (event.cause() instanceof Event.Balancing balancing) {
      json.addProperty("cluster", balancing.event().cluster());
      if (balancing.event() instanceof OutlierEvent outlier) {
        json.add("outlier", OutlierEventView.json(outlier));
      } else if (balancing.event() instanceof LbEvent.PrioritySwitch change) {
        json.addProperty("from", change.from());
        json.addProperty("to", change.to());
        json.addProperty("state", change.state().toString());
        json.addProperty("reason", change.reason());
      } else if (balancing.event() instanceof LbEvent.EndpointState change) {
        json.addProperty("state", change.state().toString());
        json.addProperty("reason", change.reason().message());
      } else if (balancing.event() instanceof LbEvent.Outage outage) {
        json.addProperty("endpoints", outage.endpoints());
        json.addProperty("last_error", outage.lastError());
      } else if (balancing.event() instanceof LbEvent.OutageOver over) {
        json.addProperty("endpoints", over.endpoints());
        json.addProperty("reachable", over.reachable());
      }
    }
    return json;
  }

  private static JsonObject detail(Event.Answer answer, List<Difference> differences) {
    AdsObserver.Response response = answer.response();
    var json = new JsonObject();
    json.addProperty("server", answer.server());
    json.addProperty("type", response.type().label());
    json.addProperty("version", response.version());
    json.addProperty("valid", response.valid());
    json.addProperty("invalid", response.invalid());
    json.addProperty("changed", response.changed());
    if (!answer.refusal().isEmpty()) {
      json.addProperty("refusal", answer.refusal());
    }
    var resources = new JsonArray();
    for (Difference difference : differences) {
      var resource = new JsonObject();
      resource.addProperty("name", difference.name());
      resource.addProperty("change", difference.change());
      var lines = new JsonArray();
      difference.lines().forEach(lines::add);
      resource.add("difference", lines);
      resources.add(resource);
    }
    json.add("resources", resources);
    return json;
  }
}
