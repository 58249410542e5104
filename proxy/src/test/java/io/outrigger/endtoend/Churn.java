package io.outrigger.endtoend;

import io.outrigger.endtoend.StrictBackend.Limits;
import io.outrigger.xds.ResourceType;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;

/** One kind of change that a control plane makes again and again; none may cost a call. */
@SuppressWarnings("ImmutableEnumChecker") // the changes hold nothing
enum Churn {
  ROUTES_FLIP((world, step) -> world.routeTo(step % 2 == 0 ? "B" : "A")),

  ENDPOINTS_REPLACED(
      (world, step) -> {
        world.controlPlane.serve(
            Xds.endpoints("A", world.backend(step + 1), world.backend(step + 2)));
      }),

  CLUSTERS_NEVER_SEEN(
      (world, step) -> {
        world.cluster("fresh-" + step, world.backend(step));
        world.routeTo("fresh-" + step);
        world.controlPlane.awaitAskedFor(ResourceType.ENDPOINT, "fresh-" + step);
        world.controlPlane.remove(ResourceType.ENDPOINT, "fresh-" + (step - 3));
        world.controlPlane.remove(ResourceType.CLUSTER, "fresh-" + (step - 3));
      }),

  CLUSTER_RENAMED(
      (world, step) -> {
        world.cluster("name-" + (step + 1), world.backend(0), world.backend(1));
        world.routeTo("name-" + (step + 1));
        world.controlPlane.awaitAskedFor(ResourceType.CLUSTER, "name-" + (step + 1));
        world.controlPlane.remove(ResourceType.CLUSTER, "name-" + step);
      }),

  LOCALITIES_MOVE(
      (world, step) ->
          world.controlPlane.serve(
              Xds.endpoints(
                  "A",
                  Xds.locality("x", 0, 1 + step % 3, world.backend(0)),
                  Xds.locality(step % 2 == 0 ? "y" : "z", 0, 2, world.backend(1))))),

  PRIORITIES_MOVE(
      (world, step) ->
          world.controlPlane.serve(
              Xds.endpoints(
                  "A",
                  Xds.locality("x", step % 2, 1, world.backend(0)),
                  Xds.locality("y", 1 - step % 2, 1, world.backend(1))))),

  PRIORITY_ADDED_AND_REMOVED(
      (world, step) ->
          world.controlPlane.serve(
              step % 2 == 0
                  ? Xds.endpoints(
                      "A",
                      Xds.locality("x", 0, 1, world.backend(2)),
                      Xds.locality("y", 1, 1, world.backend(0), world.backend(1)))
                  : Xds.endpoints("A", world.backend(0), world.backend(1)))),

  POLICY_CHANGES(
      (world, step) -> {
        List<String> policies = List.of("ROUND_ROBIN", "PICK_FIRST");
        world.controlPlane.serve(Xds.cluster("A", policies.get(step % policies.size())));
      }),

  LISTENER_SWITCHES(
      (world, step) -> {
        String routes = "routes-" + step % 3;
        world.routeTo(routes, step % 2 == 0 ? "A" : "B");
        world.controlPlane.serve(
            step % 5 == 4 ? Xds.inlineListener("orders", "A") : Xds.listener("orders", routes));
      }),

  TIMEOUTS_AND_WEIGHTS(
      (world, step) ->
          world.controlPlane.serve(
              Xds.routes(
                  "routes",
                  Xds.host(
                      "*",
                      World.BRIEF_ROUTE,
                      Xds.routeTo(
                          "",
                          """
                          {"timeout":"%ds","weighted_clusters":{"clusters":[
                            {"name":"A","weight":%d},{"name":"B","weight":%d}]}}"""
                              .formatted(20 + step % 7, 1 + step % 10, 10 - step % 10)))))),

  CONTROL_PLANE_RESTARTS(
      (world, step) -> {
        if (step % 10 == 3) {
          world.controlPlane.kill();
        } else if (step % 10 == 8) {
          world.controlPlane.revive();
        }
      });

  /**
   * What the changes act upon.
   *
   * @param brief a backend whose connections do not last; the only one of its cluster
   */
  record World(ControlPlane controlPlane, List<Backend> backends, StrictBackend brief) {
    /** Methods that most routes send to the brief backend. */
    static final String BRIEF = "test.Brief/";

    /** How long its connections last. */
    static final Limits LIMITS = new Limits().ageOfAConnection(Duration.ofMillis(100));

    private static final String BRIEF_ROUTE = Xds.route("/" + BRIEF, "brief");

    /** Clusters A and B, nearly everything routed to A. */
    void start() {
      controlPlane.serve(
          Xds.cluster("brief"),
          Xds.endpoints("brief", Xds.locality("x", 0, 1, List.of(brief.port()))));
      cluster("A", backend(0), backend(1));
      cluster("B", backend(2), backend(3));
      controlPlane.serve(Xds.listener("orders", "routes"));
      routeTo("A");
    }

    Backend backend(int index) {
      return backends.get(Math.floorMod(index, backends.size()));
    }

    void cluster(String name, Backend... members) {
      controlPlane.serve(Xds.cluster(name, "ROUND_ROBIN"), Xds.endpoints(name, members));
    }

    void routeTo(String cluster) {
      routeTo("routes", cluster);
    }

    void routeTo(String routes, String cluster) {
      controlPlane.serve(Xds.routes(routes, Xds.host("*", BRIEF_ROUTE, Xds.route("", cluster))));
    }
  }

  private final BiConsumer<World, Integer> change;

  Churn(BiConsumer<World, Integer> change) {
    this.change = change;
  }

  void apply(World world, int step) {
    change.accept(world, step);
  }
}
