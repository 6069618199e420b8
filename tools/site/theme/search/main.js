// Search in the page itself, without a worker and without fetching: it works from a server and from a file alike.
(function () {
  var box = document.getElementById("mkdocs-search-query");
  var list = document.getElementById("mkdocs-search-results");
  if (!box || !list) {
    return; // only the page of results searches
  }
  var index = null;
  var pages = {};

  function load(path, then) {
    var script = document.createElement("script");
    script.src = base_url.replace(/\/$/, "") + "/search/" + path;
    script.onload = then;
    document.head.appendChild(script);
  }

  function add(tag, text, parent) {
    var made = document.createElement(tag);
    made.textContent = text;
    parent.appendChild(made);
    return made;
  }

  function show() {
    list.textContent = "";
    var words = box.value.trim();
    if (!index || words.length < 2) {
      return;
    }
    words = words.replace(/[:~^*+-]/g, " ").split(/\s+/).filter(Boolean);
    // Pages that have every word, or else those that have any.
    var found = index.search("+" + words.join(" +"));
    found = (found.length ? found : index.search(words.join(" "))).slice(0, 50);
    if (!found.length) {
      add("p", "Nothing found", list);
    }
    found.forEach(function (hit) {
      var page = pages[hit.ref];
      var link = add("a", page.title, add("h3", "", list));
      link.href = base_url.replace(/\/$/, "") + "/" + page.location;
      add("p", page.text.slice(0, 200), list);
    });
  }

  function start() {
    index = lunr(function () {
      this.ref("location");
      this.field("title", { boost: 10 });
      this.field("text");
      searchIndex.docs.forEach(function (page) {
        this.add(page);
        pages[page.location] = page;
      }, this);
    });
    box.value = new URLSearchParams(window.location.search).get("q") || "";
    box.addEventListener("input", show);
    show();
  }

  load("lunr.js", function () {
    load("search_index.js", start);
  });
})();
