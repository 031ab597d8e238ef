# The last file to be read: all functions that are given objects made before, and those that may ask
# for any amount of memory, are put behind the guard of guard.R, so that none of them is forgotten.

local({
  namespace <- parent.env(environment())
  is_method <- grepl(paste0("[.](", paste(classes_made, collapse = "|"), ")$"), ls(namespace))
  # Its check of all labels would be done wherever a number of items is asked for.
  methods <- setdiff(ls(namespace)[is_method], "dim.crowd_labels")
  others <- c("add_known", "add_rows", "choose_k", "class_regression", "compare_groups",
              "confusion", "copied_items", "explore", "fingerprint", "item_quality",
              "majority_vote", "name_components", "reorder_components", "report",
              "simulate_crowd", "simulate_spikes", "test_k", "verify_store", "worker_quality")
  for (name in setdiff(c(methods, others), "update.mdpd")) {
    assign(name, guarded(get(name, namespace)), namespace)
  }
  # It looks its outcome up in its data; what update() hands on may be a column, too.
  assign("distal_outcome", guarded(distal_outcome, quoted = "y"), namespace)
  assign("align_components", guarded(align_components, c("object", "reference")), namespace)
  assign("update.mdpd", guarded(update.mdpd, c("object", "store"), quoted = "..."), namespace)
  assign("error_rate", guarded(error_rate, c("estimate", "truth")), namespace)
})
