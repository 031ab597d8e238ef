# Messages of sockets, in one piece. parallel writes one in many pieces, and all after the first
# wait there until the other side has said that it got that one, some 40 ms.

send_whole <- function(node, data) {
  message <- serialize(data, NULL, xdr = !inherits(node, "SOCK0node"))
  # writeBin() takes no more at once.
  if (length(message) < 2^31) writeBin(message, node$con) else serialize(data, node$con)
}

# In a worker: the loop that called this replies to its `master` by sendData(), which it now finds
# in its own frame.
reply_whole <- function() {
  for (frame in sys.frames()) {
    node <- get0("master", frame, inherits = FALSE)
    if (is.list(node) && inherits(node$con, "sockconn")) assign("sendData", send_whole, frame)
  }
}
