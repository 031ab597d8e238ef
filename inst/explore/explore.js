// The code to the clipboard; selected for the keyboard where the browser does not allow it.
document.addEventListener("click", function (event) {
  if (event.target.id !== "copy") return;
  var code = document.getElementById("code");
  window.getSelection().selectAllChildren(code);
  if (navigator.clipboard) navigator.clipboard.writeText(code.textContent).catch(function () {});
});
