package io.outrigger.observe.admin.grpc;

import com.google.protobuf.MessageLite;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.outrigger.base.AnyThread;
import io.outrigger.observe.admin.AdminBudget;
import java.net.SocketAddress;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * Counts, for each call, the messages that are possibly unread: all messages since the call was
 * last ready for more. The transport buffers unread messages while the peer does not read or grant
 * flow-control credit. When {@link AdminBudget} ends a call, the call's whole connection is closed,
 * because nothing else frees the buffered messages.
 */
@AnyThread
record UnreadMessages(AdminBudget budget, Consumer<SocketAddress> closeConnectionOf)
    implements ServerInterceptor {
  @Override
  public <Q, T> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, T> call, Metadata headers, ServerCallHandler<Q, T> next) {
    SocketAddress peer = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    var unread = new ConcurrentLinkedQueue<AdminBudget.Unread>();
    return new SimpleForwardingServerCallListener<Q>(
        next.startCall(
            new SimpleForwardingServerCall<Q, T>(call) {
              @Override
              public void sendMessage(T message) {
                if (message instanceof MessageLite sized && peer != null) {
                  unread.add(
                      budget.add(sized.getSerializedSize(), () -> closeConnectionOf.accept(peer)));
                }
                super.sendMessage(message);
                if (isReady()) {
                  clear(unread);
                }
              }
            },
            headers)) {
      @Override
      public void onReady() {
        clear(unread);
        super.onReady();
      }

      @Override
      public void onComplete() {
        clear(unread);
        super.onComplete();
      }

      @Override
      public void onCancel() {
        clear(unread);
        super.onCancel();
      }
    };
  }

  private static void clear(Queue<AdminBudget.Unread> unread) {
    for (AdminBudget.Unread each = unread.poll(); each != null; each = unread.poll()) {
      each.done();
    }
  }
}
