package io.outrigger.oracle;

import com.google.protobuf.Message;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider;
import io.outrigger.config.bootstrap.CertificateFiles;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.route.RequestView;
import io.outrigger.dataplane.route.ConfigSelector;
import io.outrigger.dataplane.route.RouteDecision;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.Connector;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.oracle.StoryNetwork.Condition;
import io.outrigger.program.testing.mesh.ControlSide;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.xds.ResourceType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Our own, from the ADS stream to picks, without a network and on the story's clock. */
final class OurTrafficClient implements TrafficClient {
  private static final CertificateProvider FILES =
      new CertificateProvider.FileWatcher(
          new CertificateFiles(
              Optional.of("/nowhere/c"),
              Optional.of("/nowhere/k"),
              Optional.of("/nowhere/r"),
              Optional.empty(),
              CertificateFiles.DEFAULT_REFRESH_INTERVAL));

  private final StoryServer server = new StoryServer();
  private final StoryNetwork network = new StoryNetwork();
  private final List<Connection> connections = new ArrayList<>();
  private final RandomSource random;
  private final ControlSide control;
  private boolean reachable;

  /**
   * Starts the target.
   *
   * @param seed of what is drawn; back-off has no jitter
   */
  OurTrafficClient(long seed) {
    var draws = new Random(seed);
    random =
        (bound, purpose) -> purpose == Purpose.BACKOFF_JITTER ? bound / 2 : draws.nextLong(bound);
    control =
        new ControlSide(
            this::connector,
            random,
            Map.of("mesh", FILES, "strange", new CertificateProvider.Unknown("strange")));
  }

  private Connector connector(FakeControlLoop loop) {
    return (address, maxConnections, listener) -> {
      var connection = new Connection(address, listener);
      connections.add(connection);
      loop.execute(connection::settle);
      return connection;
    };
  }

  private final class Connection implements Connector.Attempt {
    private final EndpointAddress address;
    private final Connector.Listener listener;
    private boolean ready;
    private boolean over;

    Connection(EndpointAddress address, Connector.Listener listener) {
      this.address = address;
      this.listener = listener;
    }

    /** What the network makes of it now. */
    void settle() {
      Condition condition = network.of(address.port());
      if (over) {
        return; // given up before the network came to it
      }
      if (condition == Condition.UP && !ready) {
        ready = true;
        listener.onReady((interval, reports) -> () -> {});
      } else if (condition == Condition.DOWN) {
        close();
        listener.onClosed(RpcStatus.unavailable("refused"), Connector.Ending.BROKEN);
      }
    }

    @Override
    public void close() {
      over = true;
      connections.remove(this);
    }
  }

  /** Does it, and all that follows, with the control plane and without. */
  private void inside(Runnable task) {
    control.loop().inside(task);
    settle();
  }

  private void settle() {
    if (!reachable) {
      return;
    }
    hear();
    Optional<DiscoveryResponse> due = server.next();
    while (due.isPresent()) {
      control.respond(due.get().toBuilder());
      hear();
      due = server.next();
    }
  }

  private void hear() {
    control.requests().forEach(server::onRequest);
  }

  @Override
  public void attach() {
    if (!reachable) {
      reachable = true;
      control.ready();
    }
    settle();
  }

  @Override
  public void serve(ResourceType<?> type, String name, Optional<? extends Message> resource) {
    resource.ifPresentOrElse(it -> server.put(type, name, it), () -> server.remove(type, name));
    settle();
  }

  @Override
  public String verdict(ResourceType<?> type) {
    return server.verdict(type);
  }

  @Override
  public void set(int port, Condition condition) {
    network.set(port, condition);
    inside(() -> List.copyOf(connections).forEach(Connection::settle));
  }

  @Override
  public void pass(Duration time) {
    control.loop().advance(time);
    settle();
  }

  @Override
  public TrafficClient.Call call(String path, boolean waitForReady) {
    var call = new Call(path, waitForReady);
    inside(call::route);
    return call;
  }

  @Override
  public void close() {}

  /** What a forwarded call does between its head and its backend. */
  private final class Call implements TrafficClient.Call {
    private final String path;
    private final boolean waitForReady;
    private final List<String> delays = new ArrayList<>();
    private String delay = "";
    private String outcome = "waits";
    private BooleanSupplier unpark = () -> false;
    private Optional<ClusterHandle> held = Optional.empty();

    Call(String path, boolean waitForReady) {
      this.path = path;
      this.waitForReady = waitForReady;
    }

    @Override
    public String outcome() {
      return outcome;
    }

    @Override
    public List<String> delays() {
      return List.copyOf(delays);
    }

    @Override
    public void cancel() {
      inside(
          () -> {
            if (unpark.getAsBoolean()) {
              outcome = "CANCELLED";
              held.ifPresent(ClusterHandle::release);
            }
          });
    }

    private void waitFor(String type) {
      if (!delay.equals(type)) {
        delay = type;
        delays.add(type);
      }
    }

    void route() {
      while (true) {
        ConfigSelector selector = control.target().selector();
        if (selector == null || (selector.mayRecover() && waitForReady)) {
          waitFor("resolving");
          long ticket = control.target().park(() -> control.loop().execute(this::route), selector);
          if (ticket >= 0) {
            unpark = () -> control.target().unpark(ticket);
            return;
          }
          continue;
        }
        RouteDecision decision = selector.select(view(), random);
        if (decision instanceof RouteDecision.Forward forward) {
          delay = "";
          held = Optional.of(forward.cluster());
          pick(forward.cluster());
          return;
        } else if (decision instanceof RouteDecision.Reject reject) {
          outcome = reject.answer().status().code().name();
          return;
        }
      }
    }

    private RequestView view() {
      return new RequestView() {
        @Override
        public String path() {
          return path;
        }

        @Override
        public @Nullable String header(String name) {
          return null;
        }
      };
    }

    private void pick(ClusterHandle cluster) {
      while (true) {
        Picker picker = cluster.picker();
        PickResult result = picker.pick(TestCall.CALL);
        if (result instanceof PickResult.Use use && use.subchannel().transport() != null) {
          outcome = String.valueOf(use.subchannel().address().port());
          use.subchannel().callEnded(TestCall.CALL, CallOutcome.SUCCESS);
          break;
        } else if (result instanceof PickResult.Use use) {
          use.subchannel().callEnded(TestCall.CALL, CallOutcome.NOT_SENT);
          waitFor("subchannel_state_mismatch");
        } else if (result instanceof PickResult.Drop drop) {
          outcome = drop.status().code().name();
          break;
        } else if (result instanceof PickResult.Fail fail && !waitForReady) {
          outcome = fail.status().code().name();
          break;
        } else {
          waitFor(
              result instanceof PickResult.Queue queue
                  ? queue.delayType()
                  : "picker_failing_with_wait_for_ready");
        }
        long ticket = cluster.park(() -> control.loop().execute(() -> pick(cluster)), picker);
        if (ticket >= 0) {
          unpark = () -> cluster.unpark(ticket);
          return;
        }
      }
      cluster.release();
    }
  }
}
