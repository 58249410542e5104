package io.outrigger.xds.testing;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.WorkloadEndpoint;
import io.outrigger.identity.certificate.WorkloadApi;
import io.outrigger.identity.certificate.WorkloadResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A Workload API that answers what the test says. Nothing happens by itself. */
public final class FakeWorkloadApi implements WorkloadApi {
  private final List<FakeCall> calls = new ArrayList<>();
  private Consumer<FakeCall> onOpen = call -> {};

  /** Does that with each call, at once. */
  public FakeWorkloadApi onOpen(Consumer<FakeCall> next) {
    onOpen = next;
    return this;
  }

  @Override
  public Outcome<WorkloadEndpoint> ambient() {
    return Outcome.failed(RpcStatus.unavailable("SPIFFE_ENDPOINT_SOCKET is not set"));
  }

  @Override
  public Call open(WorkloadEndpoint endpoint, Listener listener) {
    var call = new FakeCall(listener);
    calls.add(call);
    onOpen.accept(call);
    return call;
  }

  /** How many calls were ever made. */
  public int count() {
    return calls.size();
  }

  /** The call that was made last. */
  public FakeCall last() {
    return calls.get(calls.size() - 1);
  }

  /** One call. */
  public static final class FakeCall implements Call {
    private final Listener listener;
    private int permitted = 1;
    private boolean closed;

    FakeCall(Listener listener) {
      this.listener = listener;
    }

    public void answer(WorkloadResponse response) {
      permitted--;
      listener.onResponse(response);
    }

    public void end(RpcStatus reason) {
      listener.onClosed(reason);
    }

    /** How many answers may come. */
    public int permitted() {
      return permitted;
    }

    public boolean isClosed() {
      return closed;
    }

    @Override
    public void request() {
      permitted++;
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
