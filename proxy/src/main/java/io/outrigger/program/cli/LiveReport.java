package io.outrigger.program.cli;

import io.outrigger.base.Count;
import io.outrigger.lb.view.LbNode;
import io.outrigger.program.app.LiveCheck;
import io.outrigger.program.options.Target;
import java.util.ArrayList;
import java.util.List;

/** Renders a target's load-balancing trees as lines, not yet cleaned of control characters. */
final class LiveReport {
  private static final int MAX_ENDPOINTS = 10;

  private LiveReport() {}

  static List<String> lines(Target.Single target, LiveCheck.Result result) {
    List<String> lines = new ArrayList<>();
    if (!result.trees().isEmpty() || result.routes() > 0) {
      lines.add(
          "%s: virtual host \"%s\", %s, %s"
              .formatted(
                  target,
                  result.virtualHost(),
                  Count.of(result.routes(), "route"),
                  Count.of(result.trees().size(), "cluster")));
      result.warnings().forEach(warning -> lines.add("warning: " + target + ": " + warning));
      result.trees().forEach(tree -> addNode(lines, tree, "  "));
    }
    return lines;
  }

  private static void addNode(List<String> lines, LbNode node, String indent) {
    String endpoints =
        Count.list(
            node.endpoints().stream().map(each -> each.address().toString()).toList(),
            MAX_ENDPOINTS);
    String kept = node.children().isEmpty() ? "" : "left out for their health: ";
    lines.add(
        indent
            + node.policy()
            + ": "
            + node.name()
            + (node.detail().equals(LbNode.NOT_STARTED) ? "" : ", " + node.detail())
            + (endpoints.isEmpty() ? "" : ", " + kept + endpoints));
    node.children().forEach(child -> addNode(lines, child, indent + "  "));
  }
}
