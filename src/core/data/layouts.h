#pragma once

#include <memory>
#include <mutex>

namespace mdpd {

struct PackedItems;
struct Indicators;

/// What is made of the codes when it is first asked for.
template <class Layout>
class Lazy {
 public:
  template <class Make>
  std::shared_ptr<const Layout> get(const Make& make) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!layout_) layout_ = std::make_shared<const Layout>(make());
    return layout_;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const Layout> layout_;
};

/// Dense codes once more, as counts of levels and log-likelihoods read them, and as the pass over
/// all pairs does.
struct DenseLayouts {
  Lazy<PackedItems> packed;  ///< all items
  Lazy<Indicators> indicators;
};

}  // namespace mdpd
