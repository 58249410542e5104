package io.outrigger.observe.admin.grpc;

import io.envoyproxy.envoy.service.status.v3.ClientStatusDiscoveryServiceGrpc.ClientStatusDiscoveryServiceImplBase;
import io.envoyproxy.envoy.service.status.v3.ClientStatusRequest;
import io.envoyproxy.envoy.service.status.v3.ClientStatusResponse;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.outrigger.base.AnyThread;
import io.outrigger.observe.admin.ReplyQueue;
import io.outrigger.observe.admin.channelz.UnaryCalls;
import io.outrigger.xds.status.XdsStatusView;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * CSDS, as A40 defines it for gRPC clients: the response to each request contains the xDS client's
 * current state. Node matchers are rejected, since there is only one node.
 */
@AnyThread
final class ClientStatusService extends ClientStatusDiscoveryServiceImplBase {
  private final Supplier<CompletionStage<XdsStatusView>> view;
  private final ClientConfigs configs;
  private final ReplyQueue replyQueue;

  ClientStatusService(
      Supplier<CompletionStage<XdsStatusView>> view, ClientConfigs configs, ReplyQueue replyQueue) {
    this.view = view;
    this.configs = configs;
    this.replyQueue = replyQueue;
  }

  @Override
  public void fetchClientStatus(
      ClientStatusRequest request, StreamObserver<ClientStatusResponse> out) {
    var call = (ServerCallStreamObserver<ClientStatusResponse>) out;
    // without a cancel handler, a response to a cancelled call would throw
    call.setOnCancelHandler(() -> {});
    UnaryCalls.answer(out, answer(request, call));
  }

  @Override
  public StreamObserver<ClientStatusRequest> streamClientStatus(
      StreamObserver<ClientStatusResponse> out) {
    var call = (ServerCallStreamObserver<ClientStatusResponse>) out;
    call.disableAutoRequest();
    call.request(1);
    return new Requests(call);
  }

  private CompletionStage<ClientStatusResponse> answer(
      ClientStatusRequest request, ServerCallStreamObserver<ClientStatusResponse> call) {
    if (request.getNodeMatchersCount() > 0) { // A40-02
      return CompletableFuture.failedStage(
          Status.INVALID_ARGUMENT
              .withDescription("node_matchers are not supported; leave them out")
              .asRuntimeException());
    }
    boolean withContents = !request.getExcludeResourceContents();
    return replyQueue.submit(
        ForkJoinPool.commonPool(),
        () -> !call.isCancelled(),
        () -> view.get().thenApplyAsync(seen -> configs.response(seen, withContents)));
  }

  /**
   * Handles the requests of one stream. Requests are processed one at a time: the next request is
   * read after the previous response was sent and the call is ready for another message. If the
   * client half-closes before the response, {@link #onCompleted} waits for the response.
   */
  @AnyThread
  private final class Requests implements StreamObserver<ClientStatusRequest> {
    private final ServerCallStreamObserver<ClientStatusResponse> call;
    private final AtomicBoolean hasAnswered = new AtomicBoolean();
    private volatile CompletionStage<?> answered = CompletableFuture.completedStage(true);

    Requests(ServerCallStreamObserver<ClientStatusResponse> call) {
      this.call = call;
      // without a cancel handler, a response to a cancelled call would throw
      call.setOnCancelHandler(() -> {});
      call.setOnReadyHandler(this::readOn);
    }

    @Override
    public void onNext(ClientStatusRequest request) {
      answered =
          answer(request, call)
              .thenAccept(
                  response -> {
                    call.onNext(response);
                    hasAnswered.set(true);
                    readOn();
                  });
      var unused =
          answered.exceptionally(
              failure -> {
                call.onError(UnaryCalls.status(failure).asRuntimeException());
                return null;
              });
    }

    private void readOn() {
      if (call.isReady() && hasAnswered.compareAndSet(true, false)) {
        call.request(1);
      }
    }

    @Override
    public void onError(Throwable cancelled) {}

    @Override
    public void onCompleted() {
      var unused = answered.thenRun(call::onCompleted); // does not run after an error
    }
  }
}
