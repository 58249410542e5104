package io.outrigger.lb;

import static java.util.Objects.requireNonNull;

import io.outrigger.base.AnyThread;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.state.SubchannelCalls;
import org.jspecify.annotations.Nullable;

/** The base class of subchannel wrappers, which forwards all methods to the wrapped subchannel. */
@AnyThread
public abstract class DelegatingSubchannel implements Subchannel {
  private @Nullable Subchannel delegate; // set before the subchannel is published

  protected DelegatingSubchannel(Subchannel delegate) {
    this.delegate = delegate;
  }

  /** Creates a wrapper that must not be used before {@link #wrap}. */
  protected DelegatingSubchannel() {}

  public final void wrap(Subchannel wrapped) {
    delegate = wrapped;
  }

  protected final Subchannel delegate() {
    return requireNonNull(delegate, "nothing is wrapped");
  }

  @Override
  public Backend backend() {
    return delegate().backend();
  }

  @Override
  public EndpointAddress address() {
    return delegate().address();
  }

  @Override
  public void requestConnection() {
    delegate().requestConnection();
  }

  @Override
  public void close() {
    delegate().close();
  }

  @Override
  public void limitConnections(long max) {
    delegate().limitConnections(max);
  }

  @Override
  public @Nullable Transport transport() {
    return delegate().transport();
  }

  @Override
  public void callStarted(PickContext call) {
    delegate().callStarted(call);
  }

  @Override
  public void callEnded(PickContext call, CallOutcome outcome) {
    delegate().callEnded(call, outcome);
  }

  @Override
  public boolean wantsBackendMetrics() {
    return delegate().wantsBackendMetrics();
  }

  @Override
  public void onBackendMetrics(PickContext call, BackendMetrics report) {
    delegate().onBackendMetrics(call, report);
  }

  @Override
  public SubchannelCalls calls() {
    return delegate().calls();
  }

  @Override
  public FailureNote note() {
    return delegate().note();
  }

  @Override
  public void update(Backend backend) {
    delegate().update(backend);
  }
}
