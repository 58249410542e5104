package io.outrigger.program.cli;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The replies of the admin server that {@code outrigger status} shows.
 *
 * @param forwards the reply of {@code /forwards}
 * @param listeners the reply of {@code /listeners}; it has no table without served addresses
 * @param xds the reply of {@code /xds}
 * @param lb the reply of {@code /lb}
 * @param overlay the reply of {@code /overlay}; it has no tables without rules and errors
 * @param certs the reply of {@code /certs}
 * @param events the reply of {@code /events}
 */
record StatusAnswers(
    String forwards,
    Optional<String> listeners,
    String xds,
    String lb,
    Optional<String> overlay,
    Optional<String> certs,
    String events) {
  /**
   * Returns the names of all forwards.
   *
   * @throws com.google.gson.JsonParseException when a reply has an unexpected form
   */
  List<String> forwardNames() {
    return JsonView.listOf(forwards).stream().map(each -> each.text("name")).toList();
  }

  /**
   * Returns the replies with only some of the forwards and their trees.
   *
   * @param names the forwards to keep; all when empty
   * @param failing whether only forwards are kept that have an error or backends that fail
   * @throws com.google.gson.JsonParseException when a reply has an unexpected form
   */
  StatusAnswers filtered(List<String> names, boolean failing) {
    List<JsonView> kept =
        JsonView.listOf(forwards).stream()
            .filter(each -> names.isEmpty() || names.contains(each.text("name")))
            .filter(each -> !failing || !each.text("error").isEmpty() || each.number("failing") > 0)
            .toList();
    List<String> left = kept.stream().map(each -> each.text("name")).toList();
    Predicate<JsonView> isLeft = each -> left.contains(each.text("name"));
    List<JsonView> trees = JsonView.of(lb).list("forwards").stream().filter(isLeft).toList();
    return new StatusAnswers(
        list(kept), listeners, xds, "{\"forwards\":" + list(trees) + "}", overlay, certs, events);
  }

  private static String list(List<JsonView> objects) {
    return new Gson().toJson(objects.stream().map(JsonView::json).toList());
  }

  /** Returns one object with a member for each reply, named as its endpoint. */
  String json() {
    var all = new JsonObject();
    all.add("forwards", parsed(forwards));
    listeners.ifPresent(text -> all.add("listeners", parsed(text)));
    all.add("xds", parsed(xds));
    all.add("lb", parsed(lb));
    overlay.ifPresent(text -> all.add("overlay", parsed(text)));
    certs.ifPresent(text -> all.add("certs", parsed(text)));
    all.add("events", parsed(events));
    return all.toString();
  }

  private static JsonElement parsed(String text) {
    return JsonParser.parseString(text);
  }
}
