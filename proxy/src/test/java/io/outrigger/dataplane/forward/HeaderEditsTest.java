package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.RequestView;
import io.outrigger.dataplane.filter.FilterPlan;
import io.outrigger.dataplane.filter.FilterStep;
import io.outrigger.dataplane.filter.FilteredCall;
import io.outrigger.dataplane.filter.HeaderEdits;
import io.outrigger.dataplane.filter.RouteFilter;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.testing.Heads;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Tests filters that edit the headers of requests and responses. */
class HeaderEditsTest {
  private final CallScript script = new CallScript().ready();

  private record Settings() implements FilterConfig {}

  /** Makes the same changes to the request and to the response. */
  private static final class Editing implements RouteFilter {
    private final Consumer<HeaderEdits> edits;
    private final List<String> seen = new ArrayList<>();

    Editing(Consumer<HeaderEdits> edits) {
      this.edits = edits;
    }

    @Override
    public FilterStep onRequest(FilteredCall call) {
      call.editRequest(edits);
      seen.add(call.request().header("x-new") + " " + call.request().header("x-old"));
      return FilterStep.PROCEED;
    }

    @Override
    public void onResponse(FilteredCall call, HeaderEdits head) {
      edits.accept(head);
    }

    @Override
    public FilterPlan plan(RequestView request, Set<String> clusters) {
      throw new AssertionError("nobody explains");
    }
  }

  private Editing filter(Consumer<HeaderEdits> edits) {
    var filter = new Editing(edits);
    script.filtered(new Settings(), filter);
    return filter;
  }

  @Test
  void changesGoUpstreamAndToTheApp() {
    Editing filter =
        filter(
            head -> {
              head.remove("x-old");
              head.add("x-new", head.contains("x-old") ? "beside" : "instead");
            });

    var app = script.unary("x-old", "1", "x-kept", "2", "x-old", "3");
    script.backend.stream()
        .handlerOf()
        .onHeaders(
            Heads.headers(":status", "200", "content-type", "application/grpc", "x-old", "4"),
            false);

    assertThat(filter.seen).containsExactly("instead null");
    assertThat(script.backend.stream().log.get(0))
        .contains("x-kept=2", "x-new=instead")
        .doesNotContain("x-old");
    assertThat(app.stream.log.get(0)).contains("x-new=instead").doesNotContain("x-old");
  }

  @Test
  void fieldsByWhichTheProxyGoesStayAsTheyAre() {
    filter(
        head -> {
          for (String name : List.of(":path", ":status", "host", "content-type", "grpc-timeout")) {
            head.remove(name);
            head.add(name, "other");
          }
        });

    var app = script.unary();
    script.respond();

    assertThat(script.backend.stream().log.get(0)).doesNotContain("=other");
    assertThat(app.stream.log.get(0)).contains(":status=200").doesNotContain("=other");
  }

  @Test
  void aHeadWithoutChangesIsTheVeryListThatCame() {
    HeaderList head = Heads.headers("x-kept", "2");
    HeaderListEdits edits = new HeaderListEdits(head);

    edits.remove("x-other");

    assertThat(edits.contains("x-kept")).isTrue();
    assertThat(edits.result()).isSameAs(head);
  }

  @Test
  void whatWasAddedIsThereAndCanBeRemoved() {
    HeaderListEdits edits = new HeaderListEdits(HeaderList.EMPTY);

    edits.add("x-one", "1");
    edits.add("x-two", "2");
    assertThat(edits.contains("x-one")).isTrue();
    assertThat(edits.contains("x-three")).isFalse();
    edits.remove("x-one");

    assertThat(edits.contains("x-one")).isFalse();
    assertThat(edits.result()).hasToString("x-two=2");
  }
}
