package io.outrigger.program.app;

import static io.outrigger.observe.admin.AdminRequest.require;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.forward.RequestHead;
import io.outrigger.observe.admin.AdminEndpoint;
import io.outrigger.observe.admin.AdminReply;
import io.outrigger.observe.admin.AdminRequest;
import io.outrigger.observe.admin.ExplainRequest;
import io.outrigger.observe.admin.ExplainView;
import io.outrigger.observe.explain.Explainer;
import io.outrigger.observe.explain.Explanation;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * {@code GET /explain}. The parameter {@code forward} is optional when there is only one forward.
 * If the parameter {@code serve} names a served address, the reply explains how this address would
 * treat a request. The parameters {@code peer} and {@code source} are then the client's name and IP
 * address.
 */
@AnyThread
record ExplainEndpoint(Components components) implements AdminEndpoint {
  @Override
  public CompletionStage<AdminReply> answer(AdminRequest query) {
    Optional<String> serve = query.parameter("serve");
    if (serve.isPresent()) {
      return answerServed(serve.get(), query);
    }
    require(
        query.parameter("peer").or(() -> query.parameter("source")).isEmpty(),
        "peer and source need serve, the name of a --serve");
    RunningForward forward = forward(query.parameter("forward"));
    RequestHead request = ExplainRequest.read(query);
    require(
        forward.fixedTarget().isPresent() || !String.valueOf(request.authority()).isEmpty(),
        "forward "
            + forward.name()
            + " finds its target by each request's :authority; give header=:authority:NAME");
    return components
        .onControl(() -> explain(forward, request))
        .thenApplyAsync(
            explanation ->
                explanation
                    .map(ExplainView::reply)
                    .orElseGet(
                        () ->
                            AdminReply.text(
                                400,
                                "authority \""
                                    + request.authority()
                                    + "\" has no target yet; its first request creates one")));
  }

  private CompletionStage<AdminReply> answerServed(String name, AdminRequest query) {
    Optional<RunningServe> serve =
        components.serves.stream().filter(each -> each.spec().name().equals(name)).findFirst();
    if (serve.isEmpty()) {
      List<String> known = components.serves.stream().map(each -> each.spec().name()).toList();
      String reason =
          known.isEmpty()
              ? "there is no --serve"
              : "no --serve of that name; it is one of " + String.join(", ", known);
      return AdminReply.text(404, reason).done();
    }
    require(query.parameter("forward").isEmpty(), "leave forward out beside serve");
    var explainer = new ServeExplainer(serve.get(), query);
    return components
        .onControl(explainer::explain)
        .thenApplyAsync(explanation -> AdminReply.json(200, explanation));
  }

  private RunningForward forward(Optional<String> name) {
    List<RunningForward> found = components.forwards(name);
    require(
        found.size() == 1,
        (name.isPresent() ? "no forward of that name" : "forward is missing")
            + "; it is one of "
            + components.forwardNames());
    return found.get(0);
  }

  /** Runs on the control loop. */
  private Optional<Explanation> explain(RunningForward forward, RequestHead request) {
    return forward
        .targetOf(String.valueOf(request.authority()))
        .map(
            target ->
                Explainer.explain(
                    forward.listener().forward(),
                    target,
                    request,
                    target.domain(),
                    target.clusters()::describe,
                    components.overlay.clusters()));
  }
}
