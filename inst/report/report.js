// Tables that sort by DataTables, and what a mark of a picture says under the mouse or the finger.
jQuery(function ($) {
  $("table.sortable").each(function () {
    var long = this.tBodies[0].rows.length > 25;
    $(this).DataTable({
      order: [], paging: long, searching: long, info: long, pageLength: 25, autoWidth: false
    });
  });
  var tip = $("<div class='tip' role='status' hidden></div>").appendTo("body");
  // The browser's own tip would come a second later.
  $("svg [data-tip] > title").remove();
  $("svg").on("mousemove click", "[data-tip]", function (event) {
    tip.text(this.getAttribute("data-tip")).prop("hidden", false);
    var right = window.innerWidth + window.scrollX - tip.outerWidth() - 12;
    tip.css({ left: Math.max(0, Math.min(event.pageX + 14, right)), top: event.pageY + 16 });
  }).on("mouseleave", "[data-tip]", function () {
    tip.prop("hidden", true);
  });
});
