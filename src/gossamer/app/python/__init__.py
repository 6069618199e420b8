"""The crawler as a library: what `import gossamer` offers is defined here."""
