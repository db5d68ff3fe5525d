"""Path Finder Studio: searches made visible in the browser. Model and controller are here, the view in `static`."""
