package io.outrigger.program.cli;

import io.outrigger.base.Count;
import io.outrigger.base.PlainText;
import io.outrigger.lb.view.LbNode;
import io.outrigger.program.app.LiveCheck;
import io.outrigger.program.options.Target;
import java.util.ArrayList;
import java.util.List;

/** Renders the load-balancing tree of a target as lines. */
final class LiveReport {
  private static final int MAX_ENDPOINTS = 10;

  private final List<String> lines = new ArrayList<>();

  private LiveReport() {}

  static List<String> lines(Target.Single target, LiveCheck.Result result) {
    var report = new LiveReport();
    if (!result.trees().isEmpty() || result.routes() > 0) {
      report.add(
          "%s: virtual host \"%s\", %s, %s"
              .formatted(
                  target,
                  result.virtualHost(),
                  Count.of(result.routes(), "route"),
                  Count.of(result.trees().size(), "cluster")));
      result.warnings().forEach(warning -> report.add("warning: " + target + ": " + warning));
      result.trees().forEach(tree -> report.node(tree, "  "));
    }
    return report.lines;
  }

  private void node(LbNode node, String indent) {
    String endpoints =
        Count.list(
            node.endpoints().stream().map(each -> each.address().toString()).toList(),
            MAX_ENDPOINTS);
    String kept = node.children().isEmpty() ? "" : "left out for their health: ";
    add(
        indent
            + node.policy()
            + ": "
            + node.name()
            + (node.detail().equals(LbNode.NOT_STARTED) ? "" : ", " + node.detail())
            + (endpoints.isEmpty() ? "" : ", " + kept + endpoints));
    node.children().forEach(child -> node(child, indent + "  "));
  }

  /** Adds a line. Names from the control plane are cleaned of terminal control characters. */
  private void add(String line) {
    lines.add(PlainText.of(line));
  }
}
